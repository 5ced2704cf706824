import { createHash } from 'node:crypto';

/** The SHA-256 of a secret, under which it is stored. */
export const digest = (secret: string): string => createHash('sha256').update(secret).digest('hex');
