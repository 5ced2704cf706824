import { createPoller } from '@gatehouse/shared/durable/poller';
import { expect, test, vi } from 'vitest';
import { createRunRecorder } from '../../../services/user/admin/jobs/record-runs.ts';
import { JOBS, REPAIRS } from '../../../services/user/jobs.ts';
import { storedWebhook } from '../../webhooks/stored-webhook.ts';
import { malformed } from '../access/failures.ts';
import { onePage } from '../organizations/organization-service.ts';
import { read, service, withAdmin } from './operator-service.ts';

withAdmin();

const at = (milliseconds: number) => new Date(service.clock.now() + milliseconds);
const job = async (name: string) =>
  (await read('/jobs')).body.jobs.find((each: { name: string }) => each.name === name);

test('GET /webhooks lists those that fail, or are disabled, without a secret, path or body', async () => {
  const { db, clock } = service;
  const failing_since = at(-60_000);
  const url = 'https://app.example.com/hook?key=hidden';
  const health = {
    last_success_at: null,
    last_failure_at: at(-1_000),
    consecutive_failures: 4,
    failing_since,
    hours: [],
  };
  const headers = [{ name: 'x-key', value: 'hidden' }];
  await db.webhooks.insertMany([
    storedWebhook({
      webhook_id: 'failing',
      owner_id: 'User-1',
      url,
      headers,
      status: 'active',
      health,
      secret: 'hidden',
    }),
    storedWebhook({
      webhook_id: 'longer',
      status: 'active',
      health: { ...health, failing_since: at(-90_000) },
    }),
    storedWebhook({ webhook_id: 'paused', status: 'paused', health }),
    storedWebhook({ webhook_id: 'well', status: 'active', health: { ...health, failing_since: null } }),
    storedWebhook({
      webhook_id: 'disabled',
      status: 'disabled',
      organization_id: 'organization 1',
      disabled: { reason: 'gone', at: at(-5_000) },
    }),
  ]);
  await db.webhookDeliveries.insertOne({
    _id: 'delivery',
    delivery_id: 'delivery',
    webhook_id: 'failing',
    event_id: 'event',
    event: 'payment.failed',
    payload: '{"hidden":true}',
    status: 'pending',
    created_at: at(-70_000),
    seq: 1,
    due: at(1_000_000),
    attempt_count: 1,
    failures: 1,
    attempts: [{ at: at(-1_000), duration_ms: 7, status: 503, error: null, answer: 'hidden' }],
    gives_up_at: null,
    settled_at: null,
    expires_at: at(1_000_000),
  });
  const list = async (query: string) => {
    const answer = await read(`/webhooks?${query}`);
    expect(JSON.stringify(answer)).not.toContain('hidden');
    expect(answer.status).toBe(200);
    return answer.body.data.map(({ webhook_id }: { webhook_id: string }) => webhook_id);
  };
  expect(await list('')).toEqual(['longer', 'failing']);
  expect(await list('order=desc&limit=1')).toEqual(['failing']);
  expect(await list('state=disabled')).toEqual(['disabled']);
  expect(await list('state=disabled&organization_id=organization%201')).toEqual(['disabled']);
  expect(await list('state=disabled&organization_id=organization%202')).toEqual([]);
  expect(await read('/webhooks?owner_id=User-1')).toStrictEqual(
    onePage({
      webhook_id: 'failing',
      owner_id: 'User-1',
      organization_id: null,
      department_id: null,
      name: null,
      origin: 'https://app.example.com',
      status: 'active',
      failing_since: failing_since.toISOString(),
      disabled_at: null,
      disabled_reason: null,
      consecutive_failures: 4,
      backlog: 1,
      oldest_pending_at: at(-70_000).toISOString(),
      last_error: { at: at(-1_000).toISOString(), status: 503, error: null },
    }),
  );
  for (const [query, details] of [
    ['state=active', 'state must be one of failing, disabled'],
    ['owner_id[$ne]=x', 'querystring holds an unknown parameter'],
    ['search=x', 'querystring holds an unknown parameter'],
  ])
    expect(await read(`/webhooks?${query}`)).toStrictEqual(malformed(details, clock));
});

test('GET /jobs lists every job and repair with what waits', async () => {
  const { body } = await read('/jobs');
  expect(body.jobs.map(({ name }: { name: string }) => name)).toEqual(Object.keys(JOBS));
  expect(body.repairs.map(({ name }: { name: string }) => name)).toEqual(REPAIRS);
  expect(await job('close archived places')).toStrictEqual({
    name: 'close archived places',
    every_seconds: 30,
    completes: 'moves and deletions of archived places',
    waiting: 0,
    waiting_since: null,
    last_run_at: null,
    last_failure_at: null,
    last_failure: null,
    stuck: false,
  });
});

test('a job is stuck when something has been due for too long', async () => {
  const { db } = service;
  const since = at(-299_000);
  await db.organizations.insertMany(
    [since, at(-1_000), at(60_000)].map((due_at, index) => ({
      organization_id: `due ${index}`,
      name: 'Due',
      owners: [],
      created_at: service.at(),
      due_at,
    })),
  );
  expect(await job('close archived places')).toMatchObject({
    waiting: 2,
    waiting_since: since.toISOString(),
    stuck: false,
  });
  service.clock.advance(2);
  expect((await job('close archived places')).stuck).toBe(true);
  const found = (await read('/attention')).body.data;
  expect(found[0]).toStrictEqual({
    kind: 'jobs_stuck',
    severity: 'error',
    count: 1,
    text: '1 job is stuck',
    names: ['close archived places'],
  });
});

test('a repair shows the marks that are left', async () => {
  const { db } = service;
  const repair = async (name: string) =>
    (await read('/jobs')).body.repairs.find((each: { name: string }) => each.name === name);
  expect(await repair('complete activations')).toStrictEqual({
    name: 'complete activations',
    mark: 'users.activated_at',
    left: 0,
  });
  await service.newPerson({ activated_at: at(0) });
  expect((await repair('complete activations')).left).toBe(1);
  expect(await repair('date old invitations')).toStrictEqual({
    name: 'date old invitations',
    mark: null,
    left: null,
  });
  await db.users.updateMany({}, { $unset: { activated_at: true } });
});

test('runs are recorded once for all processes within ten seconds, failures by their name', async () => {
  const { db, clock } = service;
  let fails = false;
  const poller = createPoller({
    interval: 1_000_000,
    async run() {
      if (fails) throw new TypeError('the password is hidden');
    },
    log: { warn: vi.fn() },
    failure: '',
  });
  const jobs = { 'run exports': { ...poller, start() {} } };
  const [one, other] = [createRunRecorder(db, jobs), createRunRecorder(db, jobs)];
  const first = clock.now();
  await one(first);
  expect(await db.jobRuns.findOne({ _id: 'run exports' })).toBeNull();
  poller.wake();
  await poller.stop().catch(() => {});
  await one(first);
  await other(first + 9_999);
  expect((await job('run exports')).last_run_at).toBe(new Date(first).toISOString());
  await createRunRecorder(db, jobs)(first + 10_000);
  expect((await job('run exports')).last_run_at).toBe(new Date(first + 10_000).toISOString());
  fails = true;
  const failing = createPoller({
    interval: 1_000_000,
    run: () => Promise.reject(new TypeError('hidden')),
    log: { warn: vi.fn() },
    failure: '',
  });
  failing.wake();
  await failing.stop();
  await createRunRecorder(db, { 'run exports': failing })(first + 20_000);
  expect(await job('run exports')).toMatchObject({
    last_run_at: new Date(first + 10_000).toISOString(),
    last_failure_at: new Date(first + 20_000).toISOString(),
    last_failure: 'TypeError',
  });
});
