import { domainOf } from '@gatehouse/shared/identity/email';
import { requiresSso, USABLE } from '@gatehouse/shared/identity/sso';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { WithId } from 'mongodb';
import { hasSsoPlan } from '../../../access/sso-plan.ts';
import type { Database } from '../../../database.ts';

/** Connections of one person that are looked at. */
const MAX_LINKED = 20;

/** Single sign-on, as it concerns one person. */
export interface Sso {
  domain: string;
  /** Whether the password and all other ways are refused. */
  isRequired: boolean;
  /** Whether they can log in by single sign-on. */
  isOpen: boolean;
  /** Why a connection that they should use opens nothing, as a sentence; absent if one of them does. */
  fault?: string;
  /** The name of the connection that disabled the account, if one did. */
  disabledBy?: string;
  /** The names of the connections whose directory has deactivated them. */
  inactiveAt: string[];
}

/** @param now Unix milliseconds. */
export async function readSso(db: Database, user: WithId<User>, now: number): Promise<Sso> {
  const user_id = userIdOf(user);
  const domain = domainOf(user.email);
  const [isRequired, rule, identities] = await Promise.all([
    requiresSso(db, user, now),
    db.ssoDomains.findOne({ verified_domain: domain, sso_required: true }),
    user_id === null ? [] : db.ssoIdentities.find({ user_id }, { limit: MAX_LINKED }).toArray(),
  ]);
  const by = user.deprovisioned?.by.replace(/^sso:/, '');
  const ids = [...identities.map(({ connection_id }) => connection_id), ...(by === undefined ? [] : [by])];
  const connections =
    ids.length === 0 ? [] : await db.ssoConnections.find({ connection_id: { $in: ids } }).toArray();
  const nameOf = (id: string) => connections.find(({ connection_id }) => connection_id === id)?.name ?? id;
  const isInactive = new Set(
    identities.filter(({ scim }) => scim?.active === false).map(({ connection_id }) => connection_id),
  );
  const state = {
    domain,
    isRequired,
    ...(by !== undefined && { disabledBy: nameOf(by) }),
    inactiveAt: [...isInactive].map(nameOf),
  };
  if (isRequired) return { ...state, isOpen: true };

  const linked = connections.filter(({ connection_id }) =>
    identities.some((one) => one.connection_id === connection_id),
  );
  const faults = await Promise.all(
    linked.map(async ({ connection_id, organization_id, name, enabled, deleted_at }) => {
      if (isInactive.has(connection_id)) return undefined;
      if (!enabled || deleted_at)
        return `The connection "${name}" is ${deleted_at ? 'being deleted' : 'disabled'}.`;
      return (await hasSsoPlan(db, organization_id, now)) ? 'none' : planFault(name);
    }),
  );
  const isOpen = faults.includes('none');
  const gone = identities.length > 0 && linked.length === 0 ? 'Their connection is gone.' : undefined;
  const fault = isOpen
    ? undefined
    : ((rule && (await faultOfRule(db, rule, user_id, now))) ?? faults.find(Boolean) ?? gone);
  return { ...state, isOpen, ...(fault && { fault }) };
}

const planFault = (name: string): string =>
  `The plan of the organization of the connection "${name}" does not include single sign-on.`;

/** Why the requirement of a domain is not in force; undefined for an Owner, whom it does not bind. */
async function faultOfRule(
  db: Database,
  {
    domain,
    organization_id,
    connection_id,
  }: { domain: string; organization_id: string; connection_id?: string },
  user_id: string | null,
  now: number,
): Promise<string | undefined> {
  const own = { organization_id, 'owners.user_id': user_id ?? '' };
  if (await db.organizations.findOne(own, { projection: { _id: 1 } })) return undefined;
  const requires = `Addresses at ${domain} must log in by single sign-on, but`;
  const usable = { organization_id, ...(connection_id !== undefined && { connection_id }), ...USABLE };
  if (!(await db.ssoConnections.findOne(usable, { projection: { _id: 1 } })))
    return `${requires} ${connection_id === undefined ? 'no connection of the organization is enabled' : 'its connection is disabled or gone'}.`;
  return (await hasSsoPlan(db, organization_id, now))
    ? undefined
    : `${requires} the plan of the organization does not include it.`;
}
