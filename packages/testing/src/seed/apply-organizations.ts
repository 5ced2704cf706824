import { ROLES } from '@gatehouse/shared/access/rbac';
import { emailKey } from '@gatehouse/shared/identity/email';
import { findUserByEmail, userIdOf } from '@gatehouse/shared/identity/users';
import { joinByInvitation } from '../../../../services/user/access/memberships/join.ts';
import { storeInvitation } from '../../../../services/user/access/memberships/store-invitation.ts';
import type { Calls, SeedTarget } from './calls.ts';
import { SeedError } from './read-seed.ts';
import type { SeedDepartment, SeedOrganization } from './schema.ts';

const PATH = '/api/v1/organizations';

/** A place with what changes it: its Owner, and its path in the seed. */
interface Place {
  path: string;
  owner: string;
  owner_id: string;
  organization_id: string;
}

/** @returns the ids of the organization and its departments. */
export async function applyOrganization(
  target: SeedTarget,
  calls: Calls,
  { name, owner, plan, departments, webhooks, sso }: SeedOrganization,
  path: string,
): Promise<{ name: string; organization_id: string; departments: Record<string, string> }> {
  const { db, practice } = target;
  const owner_id = await userIdFor(target, `${path}.owner`, owner);
  const existing = await db.organizations.findOne({ 'owners.user_id': owner_id, name });
  const { organization_id } =
    existing ??
    ((await calls.call(path, 'POST', PATH, { as: owner, body: { name } })) as { organization_id: string });
  const place: Place = { path, owner, owner_id, organization_id };
  const ids: Record<string, string> = {};
  for (const [index, department] of departments.entries()) {
    const within = { ...place, path: `${path}.departments[${index}]` };
    ids[department.name] = await applyDepartment(target, calls, within, { plan, ...department });
  }
  for (const [index, body] of webhooks.entries())
    await configureWebhook(
      target,
      calls,
      { ...place, path: `${path}.webhooks[${index}]` },
      { organization_id },
      body,
    );
  for (const [index, each] of sso.entries()) {
    const at = `${path}.sso[${index}]`;
    const body = 'practice' in each ? practice?.[each.practice as keyof typeof practice] : each;
    if (!body) throw new SeedError(`${at}.practice: start the practice providers too`);
    const slug = String((body as { slug?: unknown }).slug);
    if (await db.ssoConnections.findOne({ slug })) continue;
    await calls.call(at, 'POST', '/api/v1/sso/connections', {
      as: owner,
      body: { ...body, organization_id },
    });
  }
  return { name, organization_id, departments: ids };
}

async function applyDepartment(
  target: SeedTarget,
  calls: Calls,
  place: Place,
  { name, plan, members, invitations, chatbots, webhooks }: SeedDepartment,
): Promise<string> {
  const { db } = target;
  const { path, owner: as, organization_id } = place;
  const existing = await db.departments.findOne({ organization_id, name });
  const url = `${PATH}/${organization_id}/departments`;
  const { department_id } =
    existing ?? ((await calls.call(path, 'POST', url, { as, body: { name } })) as { department_id: string });
  if (plan && existing?.billing.subscription_plan !== plan)
    await calls.asOperator(`${path}.plan`, 'PUT', `/api/v1/admin/organizations/${organization_id}/plan`, {
      department_id,
      subscription_plan: plan,
    });
  for (const [index, member] of members.entries())
    await addMember(target, { ...place, path: `${path}.members[${index}]` }, department_id, member);
  for (const [index, { email, role }] of invitations.entries()) {
    if (await db.memberships.findOne({ department_id, email: emailKey(email) })) continue;
    const at = `${path}.invitations[${index}]`;
    await calls.call(at, 'POST', `${url}/${department_id}/invitations`, { as, body: { email, role } });
  }
  for (const [index, body] of chatbots.entries()) {
    if (await db.chatbots.findOne({ department_id, name: String(body.name) })) continue;
    const at = `${path}.chatbots[${index}]`;
    await calls.call(at, 'POST', '/api/v1/chatbots/create', { as, body: { ...body, department_id } });
  }
  for (const [index, body] of webhooks.entries())
    await configureWebhook(
      target,
      calls,
      { ...place, path: `${path}.webhooks[${index}]` },
      { department_id },
      body,
    );
  return department_id;
}

/** Adds a member by the writes of an accepted invitation, without the mail and the limits of one. */
async function addMember(
  target: SeedTarget,
  { path, owner_id, organization_id }: Place,
  department_id: string,
  { email, role }: SeedDepartment['members'][number],
): Promise<void> {
  const { db, now } = target;
  const user_id = await userIdFor(target, `${path}.email`, email);
  if (await db.memberships.findOne({ department_id, user_id })) return;
  const at = { now: now() };
  const place = { organization_id, department_id, invitee: { invited_id: user_id } };
  const invitation = await storeInvitation(db, place, {
    role,
    grantable: ROLES,
    granted_by: owner_id,
    ...at,
  });
  const invitee = { user_id, email: emailKey(email) };
  const joined = invitation && (await joinByInvitation(db, invitation, invitee, { ...at, condition: {} }));
  if (!joined) throw new SeedError(`${path}: ${email} cannot be added`);
}

/** The URL tells whether the place has the webhook. */
async function configureWebhook(
  { db }: SeedTarget,
  calls: Calls,
  { path, owner }: Place,
  tenant: { organization_id: string } | { department_id: string },
  body: Record<string, unknown>,
): Promise<void> {
  if (await db.webhooks.findOne({ ...tenant, url: String(body.url) })) return;
  await calls.call(path, 'POST', '/api/v1/webhooks/configure', { as: owner, body: { ...body, ...tenant } });
}

async function userIdFor({ db }: SeedTarget, path: string, email: string): Promise<string> {
  const user = await findUserByEmail(db.users, email);
  const user_id = user && userIdOf(user);
  if (!user_id)
    throw new SeedError(`${path}: ${email} is neither a verified person of the seed nor has an account`);
  return user_id;
}
