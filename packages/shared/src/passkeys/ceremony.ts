import { randomBytes } from 'node:crypto';
import { type Collections, isDuplicateKey } from '../data/connect.ts';
import { AppError } from '../http/errors.ts';
import { PASSKEY_LIFETIME, type PasskeyCeremony, type Tokens } from '../identity/tokens.ts';
import type { passkeyCollections } from './records.ts';

/** Milliseconds for which a used challenge outlives its token, because clocks differ. */
const MARGIN = 3_600_000;

/** Milliseconds in which the browser must answer. */
export const PASSKEY_TIMEOUT = PASSKEY_LIFETIME * 1000;

/** The challenge of a new ceremony: 256 random bits in base64url. */
export const newChallenge = (): string => randomBytes(32).toString('base64url');

type Expected = Pick<PasskeyCeremony, 'purpose' | 'subject'>;

/**
 * Returns the ceremony of a token that was issued for this purpose and subject.
 * @throws {AppError} passkeyTokenInvalid for any other, or when it has expired.
 */
export function ceremonyOf(
  tokens: Tokens,
  passkey_token: string,
  { purpose, subject }: Expected,
  now: number,
): PasskeyCeremony {
  const ceremony = tokens.passkeyOf(passkey_token, now);
  if (ceremony?.purpose !== purpose || ceremony.subject !== subject)
    throw new AppError('passkeyTokenInvalid');
  return ceremony;
}

/**
 * Marks a ceremony as used, in one write: one of several concurrent calls succeeds, in whatever process.
 * @throws {AppError} passkeyTokenInvalid if it was used before.
 */
export async function consumeCeremony(
  { passkeyCeremonies }: Collections<typeof passkeyCollections>,
  { challenge }: PasskeyCeremony,
  now: number,
): Promise<void> {
  try {
    await passkeyCeremonies.insertOne({
      _id: challenge,
      expires_at: new Date(now + PASSKEY_TIMEOUT + MARGIN),
    });
  } catch (error) {
    if (isDuplicateKey(error)) throw new AppError('passkeyTokenInvalid');
    throw error;
  }
}
