import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { send, sendJson } from '../../fixtures/http.ts';
import { bearerOf, member } from '../../fixtures/members.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

const SECRETS = [
  'whsec_the-first-secret',
  'whsec_the-second-secret',
  'key-in-the-path',
  'key-in-the-query',
  'key-in-a-header',
  'new-key-in-a-header',
];
const ORIGIN = 'http://127.0.0.1:8001';
const url = `${ORIGIN}/${SECRETS[2]}?key=${SECRETS[3]}`;

let services: Services;
let user: Awaited<ReturnType<typeof member>>;
beforeAll(async () => {
  services = await startServices({ env: { LOG_LEVEL: 'trace', WEBHOOK_ALLOW_PRIVATE: 'on' } });
  user = await member(services.db, services.clock);
});
afterAll(() => services.stop());

const call = (method: string, path: string, body?: unknown) => {
  const to = `${services.user}/api/v1/webhooks${path}`;
  const headers = { authorization: bearerOf(user, services.clock.now()) };
  return body === undefined ? send(to, { method, headers }) : sendJson(method, to, body, headers);
};

let webhook_id = '';
const [secret, newSecret] = SECRETS;
const CONFIGURED = {
  url: ORIGIN,
  events: ['conversation.started'],
  status: 'active',
  name: 'Helpdesk',
  description: null,
  chatbot_ids: ['bot-1'],
  headers: ['X-Api-Key'],
};
const PAUSED = {
  ...CONFIGURED,
  events: ['payment.failed'],
  status: 'paused',
  description: 'Tickets',
  headers: ['X-Tenant', 'x-api-key'],
};

/** The steps of one webhook, in their order. */
const STEPS: [action: AuditAction, step: () => Promise<{ status: number }>, fields: object][] = [
  [
    'webhook.create',
    async () => {
      const answer = await call('POST', '/configure', {
        url,
        events: ['conversation.started'],
        secret,
        name: 'Helpdesk',
        chatbot_ids: ['bot-1', 'bot-1'],
        headers: { 'X-Api-Key': SECRETS[4] },
      });
      ({ webhook_id } = answer.body);
      return answer;
    },
    { after: CONFIGURED },
  ],
  [
    'webhook.update',
    () =>
      call('PATCH', `/${webhook_id}`, {
        events: ['payment.failed'],
        status: 'paused',
        description: 'Tickets',
        headers: { 'X-Tenant': 'acme', 'x-api-key': SECRETS[5] },
      }),
    { before: CONFIGURED, after: PAUSED },
  ],
  ['webhook.rotate', () => call('POST', `/${webhook_id}/rotate-secret`, { secret: newSecret }), {}],
  [
    'webhook.rotate',
    async () => {
      const answer = await call('POST', `/${webhook_id}/rotate-secret`, {});
      SECRETS.push(answer.body.secret);
      return answer;
    },
    {},
  ],
  ['webhook.delete', () => call('DELETE', `/${webhook_id}`), { before: PAUSED }],
];

test.each(STEPS)('%s leaves one event', async (action, step, fields) => {
  const events = await eventsOf(services, async () => expect((await step()).status).toBeLessThan(300));
  const { user_id, email } = user;
  expect(events).toEqual([
    auditEvent(services.clock.now(), {
      action,
      user_id,
      email: email.toLowerCase(),
      target: { webhook_id },
      ...fields,
    }),
  ]);
});

test('refused changes and giving the current secret again leave no event', async () => {
  const { body } = await call('POST', '/configure', { url, events: ['payment.failed'], secret });
  const events = await eventsOf(services, async () => {
    expect((await call('POST', `/${body.webhook_id}/rotate-secret`, { secret })).status).toBe(200);
    expect((await call('PATCH', '/unknown', { status: 'paused' })).status).toBe(404);
    expect((await call('DELETE', '/unknown')).status).toBe(404);
  });
  expect(events).toEqual([]);
});

test('neither the events nor the logs hold a secret, or the path of a receiver', async () => {
  const kept = JSON.stringify(await services.db.auditEvents.find().toArray()) + services.logged.join('');
  expect(SECRETS).toHaveLength(7);
  for (const each of SECRETS) expect(kept).not.toContain(each);
});
