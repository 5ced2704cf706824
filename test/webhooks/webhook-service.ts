import { randomUUIDv7 } from 'node:crypto';
import type { Role } from '@gatehouse/shared/access/rbac';
import type { DeliveryTuning } from '@gatehouse/webhooks/pipeline';
import { failuresAt } from '../fixtures/envelope.ts';
import { eventually } from '../fixtures/eventually.ts';
import { postJson, send, sendJson } from '../fixtures/http.ts';
import { bearerOf, member } from '../fixtures/members.ts';
import { startServices } from '../fixtures/services.ts';
import { storeOrganization } from '../user/access/store-organization.ts';

export const INTERNAL_API_KEY = 'a key that only the tests know, 32 bytes and more';
export const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

/** A user service that may call 127.0.0.1, with accounts that configure webhooks and a platform that publishes events. */
export async function startWebhookService({
  env = {},
  delivery = {},
}: {
  env?: NodeJS.ProcessEnv;
  delivery?: DeliveryTuning;
} = {}) {
  const services = await startServices({
    env: { WEBHOOK_ALLOW_PRIVATE: 'on', INTERNAL_API_KEY, ...env },
    delivery: { poll: 25, linger: 1, ...delivery },
  });
  const { db, clock } = services;

  /** An account with a session. */
  async function person() {
    const user = await member(db, clock);
    const call = (method: string, path = '', body?: unknown) => {
      const url = `${services.user}/api/v1/webhooks${path}`;
      const headers = { authorization: bearerOf(user, clock.now()) };
      return body === undefined ? send(url, { method, headers }) : sendJson(method, url, body, headers);
    };
    return {
      user_id: user.user_id,
      call,
      /** Pulls events. */
      events: (query: string) =>
        send(`${services.user}/api/v1/events${query}`, {
          headers: { authorization: bearerOf(user, clock.now()) },
        }),
      /** @returns the webhook_id. */
      async configure(fields: object): Promise<string> {
        const given = { events: ['conversation.started'], secret: SECRET, ...fields };
        const { status, body } = await call('POST', '/configure', given);
        if (status !== 201) throw new Error(JSON.stringify(body));
        return body.webhook_id;
      },
      deliveries: async (webhook_id: string, query = '') =>
        (await call('GET', `/${webhook_id}/deliveries?order=asc${query}`)).body.data,
    };
  }

  /** Stores an organization. @returns its departments. */
  async function organization(owner: { user_id: string }, ...names: string[]) {
    const { departments } = await storeOrganization(db, {
      owners: [owner.user_id],
      departments: names,
      now: clock.now(),
    });
    return departments.map(({ organization_id, department_id }) => ({ organization_id, department_id }));
  }

  /** Makes a user a member of a department. */
  const join = (
    { user_id }: { user_id: string },
    place: { organization_id: string; department_id: string },
    role: Role,
  ) =>
    db.memberships.insertOne({
      membership_id: randomUUIDv7(),
      ...place,
      user_id,
      role,
      granted_by: 'User-100000',
      granted_at: new Date(clock.now()).toISOString(),
    });

  const publish = (body: unknown) =>
    postJson(`${services.user}/internal/events`, body, { authorization: `Bearer ${INTERNAL_API_KEY}` });

  return {
    ...services,
    person,
    organization,
    join,
    publish,
    failure: failuresAt(clock.now),
    stored: (webhook_id: string) => db.webhooks.findOne({ webhook_id }),
    /** Waits until every delivery of a webhook has one of these statuses and no worker holds its queue. */
    settled: (webhook_id: string, ...statuses: string[]) =>
      eventually(async () => {
        const all = await db.webhookDeliveries.find({ webhook_id }).sort({ seq: 1 }).toArray();
        const queue = await db.webhooks.findOne({ webhook_id });
        const others = all.filter(({ status }) => !statuses.includes(status));
        if (all.length === 0 || others.length > 0 || queue?.lease) {
          throw new Error(`${all.map(({ status, attempt_count }) => `${status} ${attempt_count}`)}`);
        }
        return all;
      }),
  };
}

export type WebhookService = Awaited<ReturnType<typeof startWebhookService>>;
export type Person = Awaited<ReturnType<WebhookService['person']>>;
