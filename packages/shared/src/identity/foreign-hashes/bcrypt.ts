import { createHash, createHmac } from 'node:crypto';
import { verify } from '@node-rs/bcrypt';
import type { Scheme } from './scheme.ts';

/** About three seconds. */
const MAX_COST = 15;

/** The versions 2a, 2b and 2y agree on every password of UTF-8. 2x has a fault that accepts wrong ones. */
const BCRYPT = String.raw`(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53})`;

const bcrypt = (prefix: string, prepare: (password: Buffer) => Buffer): Scheme => ({
  pattern: new RegExp(`^${prefix}${BCRYPT}$`),
  isTooCostly: (_, cost) => Number(cost) < 4 || Number(cost) > MAX_COST,
  verify: (password, hash = '') => verify(prepare(password), hash),
});

/** A password longer than bcrypt takes (72 bytes) is hashed first, in the way of the framework. */
const djangoDigest = (password: Buffer) => Buffer.from(createHash('sha256').update(password).digest('hex'));
const wordPressDigest = (password: Buffer) =>
  Buffer.from(createHmac('sha384', 'wp-sha384').update(password.toString().trim()).digest('base64'));

export const BCRYPT_SCHEMES: readonly Scheme[] = [
  bcrypt('', (password) => password),
  bcrypt(String.raw`bcrypt\$`, (password) => password),
  bcrypt(String.raw`bcrypt_sha256\$`, djangoDigest),
  bcrypt(String.raw`\$wp`, wordPressDigest),
];
