import { expectStatus } from '../caller.ts';
import { signIn } from './accounts.ts';
import type { Context, Load } from './load.ts';

const ROLES = ['Admin', 'Editor', 'Viewer', 'Analyst'];
const MEMBERS = 3;

/** An Owner with an organization and a department on the Enterprise plan. */
export async function newOrganization(context: Context, email: string, department: string) {
  const { cluster, call, internalKey } = context;
  const owner = await signIn(context, email);
  const { headers } = owner;
  const organizations = `${cluster.url('gateway')}/api/v1/organizations`;
  const created = await call(organizations, { headers, json: { name: department } });
  const { organization_id } = expectStatus(created, 201).body;
  const departments = `${organizations}/${organization_id}/departments`;
  const { department_id } = expectStatus(
    await call(departments, { headers, json: { name: department } }),
    201,
  ).body;
  const plan = { subscription_plan: 'Enterprise' };
  const billing = `${departments}/${department_id}/billing`;
  expectStatus(await call(billing, { method: 'PATCH', headers, json: plan }), 200, 202);
  const paid = await call(`${cluster.url('user')}/internal/departments/${department_id}/payment-status`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${internalKey}` },
    json: { payment_status: 'paid', ...plan },
  });
  expectStatus(paid, 200);
  return { owner, organization_id: String(organization_id), department: `${departments}/${department_id}` };
}

/** An Owner who changes the roles of members. The last acknowledged role of each holds. */
export async function roles(context: Context): Promise<Load> {
  const { cluster, call } = context;
  const { owner, department } = await newOrganization(context, 'owner@example.com', 'Support');
  const { headers } = owner;
  const roleOf = new Map<string, string>();
  let count = 0;
  const change = (user_id: string, role = '') =>
    call(`${department}/members/${user_id}`, { method: 'PUT', headers, json: { role } });
  for (let i = 1; i <= MEMBERS; i += 1) {
    const member = await signIn(context, `member${i}@example.com`);
    const { invitation_id } = expectStatus(await change(member.user_id, 'Viewer'), 202).body;
    const accept = `${cluster.url('gateway')}/api/v1/invitations/${invitation_id}/accept`;
    expectStatus(await call(accept, { headers: member.headers, json: {} }), 200);
    roleOf.set(member.user_id, 'Viewer');
  }
  return {
    async step() {
      for (const user_id of roleOf.keys()) {
        count += 1;
        const role = ROLES[count % ROLES.length] ?? '';
        expectStatus(await change(user_id, role), 200);
        roleOf.set(user_id, role);
      }
    },
    async verify() {
      for (const [user_id, role] of roleOf) {
        const { body } = expectStatus(await call(`${department}/members/${user_id}`, { headers }), 200);
        if (body.role !== role) throw new Error(`${user_id} is ${body.role}, not ${role}`);
      }
      return `${count} changes of roles, the last of each member holds`;
    },
  };
}
