import type { User } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import type { SsoOptions } from '../options.ts';
import type { Profile } from '../profile.ts';
import type { Connection } from '../records.ts';

/**
 * Returns the account of a person who has proved who they are at their provider: creates or links it at their first
 * login and updates it afterwards.
 * @throws {SsoRefusal} when the person may not have an account here.
 */
export declare function provision(
  options: Pick<SsoOptions, 'db' | 'now'>,
  request: FastifyRequest,
  connection: Connection,
  profile: Profile,
): Promise<WithId<User>>;
