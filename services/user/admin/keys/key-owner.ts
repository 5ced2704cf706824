import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import type { KeyOwner, MachineKey, ServiceAccount } from '@gatehouse/shared/identity/machine-keys/records';
import type { User } from '@gatehouse/shared/identity/user-record';
import { ObjectId, type WithId } from 'mongodb';
import { z } from 'zod';
import type { Database } from '../../database.ts';
import { KEY_EXAMPLE, keyRecord, presentKey } from '../../keys/contract.ts';
import { targetOf } from '../people/change-person.ts';
import { findPerson, personIdOf } from '../people/find-person.ts';

type People = Pick<Database, 'users' | 'serviceAccounts'>;

/** Whose keys: a person, or a service account of an organization. */
export type KeyHolder =
  | { owner: ObjectId; user: WithId<User>; serviceAccount?: undefined }
  | { owner: string; user?: undefined; serviceAccount: WithId<ServiceAccount> };

export const operatorsKey = keyRecord
  .extend({
    owner: z.string().meta({ description: 'A person_id or a service_account_id' }),
    organization_id: z.string().nullable().meta({ description: 'Of a service account' }),
  })
  .meta({
    description: 'The key with its owner',
    examples: [
      {
        ...KEY_EXAMPLE,
        owner: 'User-483920',
        organization_id: null,
      },
    ],
  });

/** @throws {AppError} notFound */
export async function holderById(db: People, id: string): Promise<KeyHolder> {
  const serviceAccount = await db.serviceAccounts.findOne({ service_account_id: id });
  if (serviceAccount) return { owner: id, serviceAccount };
  const user = await findPerson(db, id).catch((error: unknown) => {
    if (error instanceof AppError && error.reason === 'notFound')
      throw new AppError('notFound', { text: 'No person and no service account has this id' });
    throw error;
  });
  return { owner: user._id, user };
}

/** @throws {AppError} notFound for a key whose owner is gone. */
export async function holderOf(db: People, owner: KeyOwner): Promise<KeyHolder> {
  if (owner instanceof ObjectId) {
    const user = orNotFound(await db.users.findOne({ _id: owner }));
    return { owner, user };
  }
  const serviceAccount = orNotFound(await db.serviceAccounts.findOne({ service_account_id: owner }));
  return { owner, serviceAccount };
}

export const presentOperatorsKey = (key: MachineKey, { user, serviceAccount }: KeyHolder) => ({
  ...presentKey(key),
  owner: user ? personIdOf(user) : serviceAccount.service_account_id,
  organization_id: serviceAccount?.organization_id ?? null,
});

/** What the audit names, so that the person or the organization sees the event. */
export const auditedHolder = ({ user, serviceAccount }: KeyHolder, key_id: string) =>
  user
    ? { target: { ...targetOf(user), key_id } }
    : {
        organization_id: serviceAccount.organization_id,
        target: { service_account_id: serviceAccount.service_account_id, key_id },
      };
