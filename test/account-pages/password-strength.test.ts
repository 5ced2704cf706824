import { expect, test } from 'vitest';
import { strengthOf } from '../../packages/account-pages/browser/password-strength.ts';

test.each([
  ['', 0],
  ['secret', 0],
  ['aaaaaaaaaaaaaaaaaaaa', 0],
  ['123456789012', 0],
  ['qwertzuiopasdfghjkl', 0],
  ['Tr0ub4dor', 1],
  ['purple lamp 49', 2],
  ['correct horse battery staple', 3],
  ['пароль из нескольких слов', 3],
])('the strength of %j is %i of 3', (password, strength) => {
  expect(strengthOf(password)).toBe(strength);
});
