import { expectStatus } from '../caller.ts';
import type { Context, Load } from './load.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** A provider that creates, deactivates, activates and deletes users. Each has the state that was acknowledged last. */
export function scim({ cluster, call }: Context, { token }: { token: string }): Load {
  const users = `${cluster.url('gateway')}/scim/v2/Users`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
  const parsed = (body: unknown) => (typeof body === 'string' ? JSON.parse(body) : body);
  const stateOf = new Map<string, 'active' | 'inactive' | 'deleted'>();
  let count = 0;

  async function create(): Promise<string> {
    count += 1;
    const userName = `user${count}@practice.test`;
    const emails = [{ primary: true, value: userName, type: 'work' }];
    const json = { schemas: [USER], userName, externalId: userName, emails, active: true };
    const created = await call(users, { headers, json });
    if (!(created.isRetry && created.status === 409)) return parsed(expectStatus(created, 201).body).id;
    // The answer to an earlier try that created the user was cut.
    const filter = encodeURIComponent(`userName eq "${userName}"`);
    return parsed(expectStatus(await call(`${users}?filter=${filter}`, { headers }), 200).body).Resources[0]
      .id;
  }
  async function activate(id: string, active: boolean): Promise<void> {
    const json = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value: active }] };
    expectStatus(await call(`${users}/${id}`, { method: 'PATCH', headers, json }), 200);
    stateOf.set(id, active ? 'active' : 'inactive');
  }

  return {
    async step() {
      const id = await create();
      stateOf.set(id, 'active');
      if (count % 2 === 0) await activate(id, false);
      if (count % 4 === 0) await activate(id, true);
      if (count % 5 !== 0) return;
      const deleted = await call(`${users}/${id}`, { method: 'DELETE', headers });
      // The answer to an earlier try that deleted the user was cut.
      if (!(deleted.isRetry && deleted.status === 404)) expectStatus(deleted, 204);
      stateOf.set(id, 'deleted');
    },
    async verify() {
      for (const [id, state] of stateOf) {
        const answer = await call(`${users}/${id}`, { headers });
        expectStatus(answer, state === 'deleted' ? 404 : 200);
        const { active } = parsed(answer.body);
        if (state !== 'deleted' && active !== (state === 'active')) throw new Error(`${id} is not ${state}`);
      }
      return `${stateOf.size} users of SCIM have their state`;
    },
  };
}
