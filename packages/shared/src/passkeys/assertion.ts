import type { FastifyBaseLogger } from 'fastify';
import type { WithId } from 'mongodb';
import type { Collections } from '../data/connect.ts';
import { AppError } from '../http/errors.ts';
import { type DomainRules, domainStages, mayRequireSso } from '../identity/sso.ts';
import type { User } from '../identity/user-record.ts';
import type { userCollections } from '../identity/users.ts';
import type { Assertion } from './credentials.ts';
import { refuseForeignFrame } from './foreign-frame.ts';
import { loadLibrary } from './library.ts';
import type { Passkey, passkeyCollections } from './records.ts';
import { refusingAlike } from './refusing-alike.ts';
import type { RelyingParty } from './relying-party.ts';

type Database = Collections<typeof userCollections & typeof passkeyCollections>;

/** A passkey with the account that lists it. */
export interface OwnedPasskey {
  passkey: Passkey;
  user: WithId<User>;
  /** Whether the domain of the account may require single sign-on; `requiresSso` decides. */
  mayRequireSso: boolean;
}

/** Returns the passkey with a credential id, and its account; undefined unless the account lists it. */
export async function findPasskey(
  { passkeys, users }: Database,
  id: string,
): Promise<OwnedPasskey | undefined> {
  const [found] = await passkeys
    .aggregate<Passkey & DomainRules & { user: WithId<User> }>([
      { $match: { _id: id } },
      {
        $lookup: {
          from: users.collectionName,
          localField: 'account',
          foreignField: '_id',
          as: 'user',
        },
      },
      { $unwind: '$user' },
      ...domainStages('$user.email'),
    ])
    .toArray();
  if (!found) return undefined;
  const { user, domain, domain_rules, ...passkey } = found;
  if (!user.passkeys?.includes(id)) return undefined;
  return { passkey, user, mayRequireSso: mayRequireSso({ domain, domain_rules }, user.email) };
}

interface Expected {
  party: RelyingParty;
  challenge: string;
  /** Whether the assertion must carry the user handle, because nothing else names the account. */
  needsUserHandle: boolean;
}

/**
 * Verifies an assertion (Web Authentication §7.2): signature, challenge, origin, user presence and user verification.
 * The public key and its algorithm come from our record.
 * @returns the signature counter of the authenticator.
 * @throws {AppError} passkeyInvalid
 */
export const verifyAssertion = (
  { passkey, user }: OwnedPasskey,
  response: Assertion,
  { party, challenge, needsUserHandle }: Expected,
): Promise<number> =>
  refusingAlike(async () => {
    const { clientDataJSON, userHandle } = response.response;
    if ((needsUserHandle || userHandle !== undefined) && userHandle !== user.passkey_handle)
      throw new AppError('passkeyInvalid', {
        cause: new Error('the user handle is not that of the account'),
      });
    refuseForeignFrame(clientDataJSON);
    const { verifyAuthenticationResponse } = await loadLibrary();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: passkey._id,
        publicKey: Uint8Array.from(Buffer.from(passkey.public_key, 'base64url')),
        // Not compared: synced passkeys keep no counter, and resetting an authenticator would lock the person out.
        counter: 0,
      },
    });
    const { credentialDeviceType, newCounter } = authenticationInfo;
    if (!verified) throw new Error('the signature is wrong');
    if ((credentialDeviceType === 'multiDevice') !== passkey.synced)
      throw new Error('the backup eligibility of the passkey has changed');
    return newCounter;
  });

const HOUR = 3_600_000;

/**
 * Records the use of a passkey, to the hour, and its counter. A counter that does not grow is logged: the passkey may have
 * been cloned.
 * @param now Unix milliseconds.
 */
export async function rememberUse(
  { passkeys }: Pick<Database, 'passkeys'>,
  { _id, account, passkey_id, counter: before, last_used_at }: Passkey,
  { counter, now, log }: { counter: number; now: number; log: FastifyBaseLogger },
): Promise<void> {
  if ((counter > 0 || before > 0) && counter <= before)
    log.warn({ passkey_id, before, counter }, 'the counter of a passkey has not grown');
  const hour = new Date(Math.floor(now / HOUR) * HOUR);
  if (last_used_at && last_used_at >= hour && counter === before) return;
  await passkeys
    .updateOne({ _id, account }, { $set: { last_used_at: hour, counter } })
    .catch((error) => log.warn({ err: error, passkey_id }, 'use of a passkey not remembered'));
}
