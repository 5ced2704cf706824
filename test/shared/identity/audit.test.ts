import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyRequest } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Audits a login; the insert of its event settles like `stored`. */
function auditLogin(stored: Promise<unknown>) {
  const logged: unknown[][] = [];
  const log = (level: string) => (fields: object, text: string) => void logged.push([level, text, fields]);
  const request = {
    id: 'asked-1',
    ip: '198.51.100.7',
    log: { info: log('info'), error: log('error') },
    routeOptions: { config: {} },
    server: {},
  };
  const db = { auditEvents: { insertOne: () => stored } };
  const audited = audit(db as never, request as unknown as FastifyRequest, 0, {
    action: 'login',
    email: 'Ada@Example.com',
    before: { name: 'Ada' },
    after: { name: 'Ada King' },
  });
  return { audited, logged };
}

test('a request waits for its event for a second at most', async () => {
  const { audited, logged } = auditLogin(new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(1_000);
  await audited;
  expect(logged).toHaveLength(1);
});

test('an event that cannot be stored is logged and fails nothing', async () => {
  const error = new Error('no disk');
  const { audited, logged } = auditLogin(Promise.reject(error));
  await audited;
  expect(logged.slice(1)).toEqual([
    ['error', 'audit event not recorded', { err: error, event_id: expect.any(String) }],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

test('logs the event without what changed', async () => {
  const { audited, logged } = auditLogin(Promise.resolve());
  await audited;
  expect(logged).toEqual([
    [
      'info',
      'login: success',
      {
        event_id: expect.any(String),
        action: 'login',
        outcome: 'success',
        user_id: null,
        email: 'ada@example.com',
        target: {},
        organization_id: null,
        department_id: null,
        address: '198.51.100.7',
      },
    ],
  ]);
});
