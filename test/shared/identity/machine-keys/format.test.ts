import {
  isSecret,
  keyText,
  newKeyId,
  newKeySecret,
  parseKey,
  secretHash,
} from '@gatehouse/shared/identity/machine-keys/format';
import { expect, test } from 'vitest';

const [ID, SECRET] = ['4fQ9xT2mZb7LrK0a', '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg'];
const KEY = keyText(ID, SECRET);

test('a key names its id and its secret, and ends with the CRC-32 in base 62', () => {
  expect(KEY).toBe(`gh_${ID}_${SECRET}${KEY.slice(-6)}`);
  expect(KEY).toMatch(/^gh_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/);
  expect(parseKey(KEY)).toEqual({ id: ID, secret: SECRET });
});

test('each single wrong character is refused', () => {
  for (let at = 0; at < KEY.length; at += 1) {
    const wrong = KEY[at] === 'x' ? 'y' : 'x';
    expect(parseKey(`${KEY.slice(0, at)}${wrong}${KEY.slice(at + 1)}`)).toBeUndefined();
  }
});

test.each([
  ['nothing', ''],
  ['the prefix alone', 'gh_'],
  ['without its check', KEY.slice(0, -6)],
  ['one character less', KEY.slice(0, -1)],
  ['one character more', `${KEY}0`],
  ['a line break behind it', `${KEY}\n`],
  ['a space before it', ` ${KEY}`],
  ['another prefix', KEY.replace('gh_', 'GH_')],
  ['a full-width digit', KEY.replace('4', '４')],
  ['a secret with a sign', `gh_${ID}_-${SECRET.slice(1)}${KEY.slice(-6)}`],
])('is no key: %s', (_, text) => {
  expect(parseKey(text)).toBeUndefined();
});

test('ids and secrets always have their length, and are never the same twice', () => {
  const ids = Array.from({ length: 500 }, newKeyId);
  const secrets = Array.from({ length: 500 }, newKeySecret);
  expect(new Set(ids).size).toBe(500);
  expect(new Set(secrets).size).toBe(500);
  for (const [index, id] of ids.entries())
    expect(parseKey(keyText(id, secrets[index] as string))).toEqual({ id, secret: secrets[index] });
});

test('the secret at rest is a SHA-256, which only the same secret matches', () => {
  const hash = secretHash(SECRET);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(isSecret(SECRET, hash)).toBe(true);
  expect(isSecret(newKeySecret(), hash)).toBe(false);
});
