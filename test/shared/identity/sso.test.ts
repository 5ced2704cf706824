import { mayRequireSso } from '@gatehouse/shared/identity/sso';
import { expect, test } from 'vitest';

test.each([
  ['no rule', 'example.com', [], false],
  ['a rule', 'example.com', [{}], true],
  // A database that lowercases the Kelvin sign reads the rules of another domain.
  ['no rule for a domain that the database spells in another way', 'kelvin.example', [], true],
])('an address with %s', (_, domain, domain_rules, expected) => {
  const email = domain === 'example.com' ? 'Ada@Example.com' : 'ada@\u212aelvin.example';
  expect(mayRequireSso({ domain, domain_rules }, email)).toBe(expected);
});
