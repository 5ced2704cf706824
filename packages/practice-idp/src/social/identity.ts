import { createHash } from 'node:crypto';
import { PEOPLE, type PracticePerson } from '../people.ts';
import type { Switches } from './switches.ts';

/** What a provider knows about a person, whatever form its claims have. */
export interface Identity {
  /** Random bytes that stand for the person, from which each provider makes a subject of its own form. */
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

/** The form of a UUID. */
export const uuidOf = (seed: Buffer): string =>
  seed.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
