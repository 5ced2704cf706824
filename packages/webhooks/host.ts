import type { Tenant } from '@gatehouse/shared/access/tenant';
import type { AppError } from '@gatehouse/shared/http/errors';
import type { Recipient } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';

/** The interface that the host service implements. Accounts are in the shared `users` collection. */
export interface WebhookHost {
  /** Reads which organizations and departments are closed: archived or deleted. */
  closedAmong(tenants: Iterable<Tenant>): Promise<(tenant: Tenant) => boolean>;

  /**
   * The tenants whose webhooks and events the caller may manage.
   * @param named the tenant by which the call filters.
   * @throws {AppError} enrollmentRequired if that requires a second factor which the caller lacks.
   */
  administeredBy(
    request: FastifyRequest,
    named: NamedTenant,
  ): Promise<{
    organizations: string[];
    /** Departments of other organizations. */
    departments: { organization_id: string; department_id: string }[];
  }>;
  /**
   * The tenant that the caller names by the ids of an organization, a department, or both.
   * @throws {AppError} notFound if the caller has no role there; enrollmentRequired; forbidden if they do not administer it, or for a
   * write if it is archived.
   */
  administeredTenant(request: FastifyRequest, ids: NamedTenant): Promise<AdministeredTenant>;
  /** @throws {AppError} notFound if the caller does not administer the tenant; enrollmentRequired; forbidden for a write if it is archived. */
  assertAdministers(request: FastifyRequest, tenant: AdministeredTenant): Promise<void>;
  /** The organizations that require a second factor which the caller lacks. */
  closedTo(request: FastifyRequest): Promise<ReadonlySet<string>>;
  /** The accounts of at most `limit` Owners of an organization and, if it is named, of its department. */
  ownersOf(tenant: AdministeredTenant, limit: number): Promise<string[]>;

  /** The names of a tenant; null for what it does not have. */
  namesOf(tenant: Tenant): Promise<{ organization: string | null; department: string | null }>;

  /** How many webhooks the plan of a tenant, or of the caller's own account, allows. */
  webhookLimit(request: FastifyRequest, tenant: Tenant): Promise<{ limit: number; exceeded: () => AppError }>;

  /** Reads where departments and chatbots are; those that do not exist are left out. */
  tenantsOf(ids: { departments: string[]; chatbots: string[] }): Promise<{
    departments: ReadonlyMap<string, Tenant>;
    chatbots: ReadonlyMap<string, Tenant>;
  }>;
  /** Reads the present and recent memberships of users. */
  belongingsOf(user_ids: readonly string[]): Promise<Belonging[]>;

  mailer: {
    /** Notifies an owner that a webhook was disabled. */
    sendWebhookDisabled(
      to: Recipient,
      webhook: {
        webhook_id: string;
        /** The host of the receiver: its path may hold a key. */
        host: string;
        /** Whether it belongs to an organization, and not to the recipient alone. */
        shared: boolean;
        reason: 'gone' | 'failing';
      },
    ): Promise<void>;
  };
}

export interface NamedTenant {
  organization_id?: string | undefined;
  department_id?: string | undefined;
}

/** An organization, or one of its departments. */
export interface AdministeredTenant extends Tenant {
  organization_id: string;
}

/** The membership of a user in an organization. */
export interface Belonging {
  user_id: string;
  organization_id: string;
  /** Unix milliseconds. */
  from: number;
  /** Unix milliseconds; infinite for a present member. */
  until: number;
  /** The address that the organization invited, if any. */
  email?: string | undefined;
}
