import type { FastifyBaseLogger } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { removeInterrupted } from '../../../packages/sso/connections/remove.ts';
import { eventsOf } from '../../fixtures/audit.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { testConfig } from '../../fixtures/services.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';
import { ldap } from './samples.ts';

/** Taking away the last enabled connection of a domain that requires single sign-on. */

let service: SsoService;
let corp: Awaited<ReturnType<SsoService['newOrganization']>>;
let connection_id: string;
let turn = 0;
beforeAll(async () => {
  service = await startSsoService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  turn += 1;
  corp = await service.newOrganization({ domain: null });
  for (const name of ['b', 'a'])
    await service.addDomain(corp.organization_id, `${name}${turn}.example`, { sso_required: true });
  await service.addDomain(corp.organization_id, `c${turn}.example`);
  const { organization_id } = corp;
  const connection = { organization_id, protocol: 'ldap', slug: `release-${turn}`, name: 'Corp', ldap };
  ({ connection_id } = (await corp.owner.call('POST', '/api/v1/sso/connections', connection)).body);
});

const call = (method: string, suffix = '', body?: unknown) =>
  corp.owner.call(method, `/api/v1/sso/connections/${connection_id}${suffix}`, body);
const stored = () => service.db.ssoConnections.findOne({ connection_id });
const required = () =>
  service.db.ssoDomains.distinct('domain', { organization_id: corp.organization_id, sso_required: true });

const WAYS = [
  [
    'disabling',
    () => call('PATCH', '', { enabled: false }),
    () => call('PATCH', '', { enabled: false, release: true }),
  ],
  ['deleting', () => call('DELETE'), () => call('DELETE', '?release=true')],
] as const;

describe.each(WAYS)('%s the last enabled connection', (_, plain, releasing) => {
  test('is refused, and changes nothing', async () => {
    const before = await stored();
    const answer = await plain();
    expect(outcome(answer)).toStrictEqual(
      service.failure(
        answer,
        409,
        'DUPLICATE_RESOURCE',
        'Resource already exists',
        `Single sign-on is required for a${turn}.example, b${turn}.example, and this is the last enabled connection: enable another one, or send release: true to end the requirement`,
      ),
    );
    expect(await stored()).toEqual(before);
    expect(await required()).toEqual([`a${turn}.example`, `b${turn}.example`]);
  });

  test('ends the requirement when the call says so, and audits it', async () => {
    const events = await eventsOf(service, async () => expect((await releasing()).status).toBe(200));
    expect(await required()).toEqual([]);
    const released = events.filter(({ action }) => action === 'domain.update');
    expect(released.map(({ before, after }) => [before, after])).toEqual(
      ['a', 'b'].map((name) => [
        { domain: `${name}${turn}.example`, sso_required: 'true' },
        { domain: `${name}${turn}.example`, sso_required: 'false' },
      ]),
    );
  });

  test('is allowed while another one is enabled, and releases nothing', async () => {
    await service.newConnection(corp, { protocol: 'saml' });
    expect((await releasing()).status).toBe(200);
    expect(await required()).toEqual([`a${turn}.example`, `b${turn}.example`]);
  });

  test('does not count a connection that is disabled or being deleted', async () => {
    await service.newConnection(corp, { protocol: 'saml', enabled: false });
    await service.newConnection(corp, { protocol: 'saml', deleted_at: new Date() });
    expect((await plain()).status).toBe(409);
  });
});

describe('an interrupted deletion that releases domains', () => {
  const log = { info() {} } as unknown as FastifyBaseLogger;
  test.each([
    [
      'the next start',
      () => removeInterrupted({ config: testConfig('user'), db: service.db, now: service.clock.now, log }),
    ],
    ['a repeated call', () => call('DELETE')],
  ] as const)('is completed by %s', async (_name, complete) => {
    vi.spyOn(service.db.ssoDomains, 'updateOne').mockRejectedValueOnce(new Error('killed'));
    expect((await call('DELETE', '?release=true')).status).toBe(500);
    expect(await required()).toHaveLength(2);
    const events = await eventsOf(service, complete);
    expect(await stored()).toBeNull();
    expect(await required()).toEqual([]);
    const { user_id } = corp.owner;
    const email = corp.owner.email.toLowerCase();
    const released = events.filter(({ action }) => action === 'domain.update');
    expect(
      released.toSorted((a, b) => (String(a.before?.domain) < String(b.before?.domain) ? -1 : 1)),
    ).toMatchObject(
      ['a', 'b'].map((name) => ({
        ...{ user_id, email, organization_id: corp.organization_id },
        before: { domain: `${name}${turn}.example`, sso_required: 'true' },
        after: { domain: `${name}${turn}.example`, sso_required: 'false' },
      })),
    );
  });
});

test('a domain that is bound to a connection keeps it, and follows another one when it is deleted', async () => {
  const other = await service.newConnection(corp, { protocol: 'saml' });
  const domain = `a${turn}.example`;
  await service.db.ssoDomains.updateOne({ domain }, { $set: { connection_id } });
  const { status, body } = await call('PATCH', '', { enabled: false });
  expect([status, body.error.details]).toEqual([409, expect.stringContaining(`required for ${domain}, and`)]);
  expect((await call('DELETE')).status).toBe(200);
  expect(await required()).toEqual([`a${turn}.example`, `b${turn}.example`]);
  expect((await service.db.ssoConnections.findOne({ connection_id: other.connection_id }))?.enabled).toBe(
    true,
  );
});

test('a connection that is disabled already can be deleted', async () => {
  await service.db.ssoConnections.updateOne({ connection_id }, { $set: { enabled: false } });
  expect((await call('DELETE')).status).toBe(200);
});

test('refuses a release that is no boolean', async () => {
  expect((await call('PATCH', '', { enabled: false, release: 'yes' })).status).toBe(400);
  expect((await call('DELETE', '?release=yes')).status).toBe(400);
});
