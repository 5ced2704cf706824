import { createHash } from 'node:crypto';
import { PEOPLE, type PracticePerson } from '../people.ts';
import type { Switches } from './switches.ts';

/** A person as each provider knows them. The provider writes its own claims from it. */
export interface Identity {
  /** Bytes that identify the person. Each provider formats them as its subject. */
  seed: Buffer;
  email: string | undefined;
  isVerified: boolean;
  firstName: string;
  lastName: string;
}

export function identityOf({ uid, email, firstName, lastName }: PracticePerson, on: Switches): Identity {
  const owner = on.has('recycled') ? PEOPLE[0]?.uid : uid;
  const address = on.has('changed') ? email.replace('@', '.new@') : email;
  return {
    seed: createHash('sha256')
      .update(`${owner}${on.has('renewed') ? ' renewed' : ''}`)
      .digest(),
    email: on.has('no-email') ? undefined : address,
    isVerified: !on.has('unverified'),
    firstName,
    lastName,
  };
}

/** Formats the first 16 bytes as a UUID. */
export const uuidOf = (seed: Buffer): string =>
  seed.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
