import type { SocialProvider } from '@gatehouse/shared/config/social';
import type { catalogueToken } from '@gatehouse/shared/contract/catalogue-login';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { Recipient } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import type { z } from 'zod';
import type { Connection } from './connection-records.ts';
import type { Profile } from './profile.ts';
import type { Identity, Linking, SocialCode } from './records.ts';

/** The account of a person at a provider. It is active. */
export type Account = WithId<User> & { user_id: string };

/** The interface to the service that the package runs in. The package knows no membership. */
export interface SsoHost {
  /**
   * Returns the account of a person whom their provider has authenticated: creates or links it at their first
   * login and updates it afterwards (CONTRACT.md §Provisioning).
   * @throws {SsoRefusal} when the person may not have an account here.
   */
  provision(request: FastifyRequest, connection: Connection, profile: Profile): Promise<Account>;
  /** Tells the Owners of the organization that its provider no longer knows a person. Best effort. */
  reportGone(
    request: FastifyRequest,
    connection: Connection,
    identity: Pick<Identity, 'user_id' | 'email'>,
  ): void;

  /**
   * Checks that the caller is an Owner of an organization, which is not archived if the call writes.
   * @throws {AppError} notFound if they have no role in it, enrollmentRequired, forbidden if they have another one or it is archived.
   */
  requireOwner(request: FastifyRequest, organization_id: string): Promise<void>;
  /** Whether the plan of an organization includes single sign-on. */
  hasPlan(organization_id: string): Promise<boolean>;
  hasDepartment(organization_id: string, department_id: string): Promise<boolean>;
  /** The name of an organization and the accounts of at most `limit` Owners; null if it does not exist. */
  ownersOf(organization_id: string, limit: number): Promise<{ name: string; owners: string[] } | null>;

  mailer: {
    /** Tells an Owner that a certificate of an identity provider expires. */
    sendCertificateExpires(
      to: Recipient,
      certificate: {
        organization: string;
        /** The name of the connection. */
        connection: string;
        expires: Date;
        /** Whether the connection has a certificate that is valid for longer. */
        hasSuccessor: boolean;
      },
    ): Promise<void>;
  };
}

/** A person at a provider of social login, after every check of the protocol. */
export interface SocialPerson {
  provider: SocialProvider;
  /** Who vouches for the subject; of a provider with many tenants, the person's own. */
  issuer: string;
  subject: string;
  email: string | undefined;
  /** Whether the provider vouches that the address is theirs. */
  emailVerified: boolean;
  name: string | undefined;
}

/** The interface of social login to the accounts of the service that it runs in. */
export interface SocialHost {
  /**
   * Returns the account of a person, which their first login creates or links (CONTRACT.md §Linking), and the login
   * name by which it is known.
   * @throws {SsoRefusal} when the person may not log in to it.
   */
  logIn(request: FastifyRequest, person: SocialPerson): Promise<{ user: Account; link: string }>;
  /**
   * Links a person to an account, for a session of the account.
   * @throws {SsoRefusal} when the session has ended, or the person is linked to another account.
   */
  link(request: FastifyRequest, person: SocialPerson, linking: Linking): Promise<void>;
  /**
   * Begins the session of a finished login. Every check of the account is made again.
   * @throws {SsoRefusal} as `logIn` does, {AppError} secondFactorRequired for an enrolled account.
   */
  openSession(request: FastifyRequest, code: SocialCode): Promise<z.infer<typeof catalogueToken>>;
}
