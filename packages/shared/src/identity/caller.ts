import type { WithId } from 'mongodb';
import type { MachineKey, ServiceAccount } from './machine-keys/records.ts';
import type { Session } from './sessions.ts';
import type { User } from './user-record.ts';

/** The caller: an active user with a live session. */
export interface Principal {
  /** Requests that arrive together may share the record. */
  user: Readonly<WithId<User>>;
  session: Session;
  /** When the person last proved to be there, at first by the login; Unix milliseconds. 0 in a support session and for a key. */
  confirmedAt: number;
  /** When the bearer was checked; Unix milliseconds. */
  checkedAt: number;
  /** When the token expires; Unix milliseconds. */
  expiresAt: number;
  /** The machine key that is the bearer in the place of a session token. It limits what the caller may do. */
  key?: MachineKey;
  /** The caller, if it is no person; `user` then only describes it. */
  serviceAccount?: Readonly<ServiceAccount>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; always set on a route that is not public. */
    principal: Principal | undefined;
  }
}
