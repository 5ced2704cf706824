import type { Connection } from '@gatehouse/shared/data/connect';
import { userCollections } from '@gatehouse/shared/identity/users';
import { captchaCollections } from './captcha/redemptions.ts';
import { idempotencyCollections } from './proxy/idempotency-keys.ts';

/** The collections that the gateway reads and writes. */
export const COLLECTIONS = { ...userCollections, ...captchaCollections, ...idempotencyCollections };

export type Database = Connection<typeof COLLECTIONS>;
