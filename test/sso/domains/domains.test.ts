import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { errorEnvelope, outcome } from '../../fixtures/envelope.ts';
import { onePage, UUID } from '../../user/organizations/organization-service.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';

const DOMAINS = '/api/v1/sso/domains';
/** What DNS answers for each name; a string is an error code. */
const records = new Map<string, string[][] | string>();

let service: SsoService;
let organization: Awaited<ReturnType<SsoService['newOrganization']>>;
let organization_id: string;
let owner: typeof organization.owner;
let turn = 0;
let domain: string;

beforeAll(async () => {
  service = await startSsoService({
    env: { NODE_ENV: 'production', PASSWORD_STORAGE: 'argon2id' },
    resolveTxt: async (name) => {
      const answer = records.get(name) ?? 'ENOTFOUND';
      if (typeof answer === 'string') throw Object.assign(new Error(`queryTxt ${answer}`), { code: answer });
      return answer;
    },
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  turn += 1;
  domain = `corp${turn}.com`;
  organization = await service.newOrganization({ domain: null });
  ({ organization_id, owner } = organization);
});

const add = async (fields: object = {}, caller = owner) =>
  caller.call('POST', DOMAINS, { organization_id, domain, ...fields });
async function added(fields: object = {}, caller = owner) {
  const { status, body } = await add(fields, caller);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}
const verify = ({ domain_id }: { domain_id: string }, caller = owner) =>
  caller.call('POST', `${DOMAINS}/${domain_id}/verify`);
/** Publishes the record of a domain. */
const publish = ({ record }: { record: { name: string; value: string } }) =>
  records.set(record.name, [[record.value]]);
async function verified(fields: object = {}, caller = owner) {
  const record = await added(fields, caller);
  publish(record);
  const { status, body } = await verify(record, caller);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}
const refused = (status: number, code: string, message: string, details = message) => ({
  status,
  body: errorEnvelope(code, message, { details }),
});
const forbidden = (details?: string) => refused(403, 'FORBIDDEN', 'Forbidden', details);
const NOT_FOUND = refused(404, 'RESOURCE_NOT_FOUND', 'Not found');
const NO_PLAN =
  'Single sign-on needs the Enterprise plan: paid for a department, or held by an Owner of the organization';

describe('POST /api/v1/sso/domains', () => {
  it('adds a domain and names the record that proves control of it', async () => {
    const [event, ...others] = await eventsOf(service, async () => {
      expect(outcome(await add())).toStrictEqual({
        status: 201,
        body: {
          domain_id: UUID,
          organization_id,
          domain,
          verified: false,
          verified_at: null,
          sso_required: false,
          connection_id: null,
          record: {
            type: 'TXT',
            name: `_gatehouse.${domain}`,
            value: expect.stringMatching(/^gatehouse-verification=[\w-]{22}$/),
          },
          created_at: new Date(service.clock.now()).toISOString(),
        },
      });
    });
    expect(others).toEqual([]);
    expect(event).toEqual(
      auditEvent(service.clock.now(), {
        action: 'domain.add',
        user_id: owner.user_id,
        email: owner.email.toLowerCase(),
        target: { domain_id: UUID as unknown as string },
        after: { domain },
        organization_id,
      }),
    );
  });

  it.each([
    ['CORP-X.Com', 'corp-x.com'],
    [' corp-y.com. ', 'corp-y.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['ｃorp-z.com', 'corp-z.com'],
    ['a.b.co.uk', 'a.b.co.uk'],
    ['corp-w\u3002com', 'corp-w.com'],
  ])('stores %j as %s', async (given, stored) => {
    expect((await added({ domain: given })).domain).toBe(stored);
  });

  it.each([
    'localhost',
    'com',
    '',
    '.com',
    'corp..com',
    '-corp.com',
    'corp-.com',
    '192.0.2.1',
    '0x7f.1',
    '2130706433.1',
    '[::1]',
    'corp.com/evil',
    'https://corp.com',
    'ada@corp.com',
    'corp.com:80',
    'corp%2ecom.evil.com',
    'corp_x.com',
    '*.corp.com',
    'corp.com\u0000',
    'corp com.net',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(126)}com`,
  ])('refuses %j', async (given) => {
    expect(outcome(await add({ domain: given }))).toStrictEqual(
      refused(
        400,
        'INVALID_FORMAT',
        'The request is malformed',
        'domain must be a domain such as corp.example',
      ),
    );
  });

  it.each([
    [{ domain: undefined }, 'MISSING_FIELD', 'domain is required'],
    [{ organization_id: undefined }, 'MISSING_FIELD', 'organization_id is required'],
    [{ domain: 7 }, 'INVALID_FORMAT', 'domain must be a string'],
    [{ domain: { $ne: null } }, 'INVALID_FORMAT', 'domain must be a string'],
    [{ organization_id: { $ne: null } }, 'INVALID_FORMAT', 'organization_id must be a string'],
  ])('refuses %j', async (fields, code, details) => {
    const { status, body } = await add(fields);
    expect([status, body.error.code, body.error.details]).toEqual([400, code, details]);
  });

  it('refuses a domain that the organization has', async () => {
    await added();
    expect(outcome(await add({ domain: domain.toUpperCase() }))).toStrictEqual(
      refused(
        409,
        'DUPLICATE_RESOURCE',
        'Resource already exists',
        'The organization has this domain already',
      ),
    );
    expect(await service.db.ssoDomains.countDocuments({ domain })).toBe(1);
  });

  it('adds one of twenty calls at once', async () => {
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await add()).status));
    expect(statuses.sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  it('needs the plan', async () => {
    const free = await service.newOrganization({ domain: null, plan: 'Free' });
    expect(outcome(await add({ organization_id: free.organization_id }, free.owner))).toStrictEqual(
      forbidden(NO_PLAN),
    );
  });

  it('has a limit for each organization', async () => {
    await service.db.ssoDomains.insertMany(
      Array.from({ length: 100 }, (_, index) => ({
        domain_id: `${organization_id} ${index}`,
        organization_id,
        domain: `full${index}.com`,
        token: 'token',
        sso_required: false,
        created_at: new Date(),
      })),
    );
    expect(outcome(await add())).toStrictEqual(forbidden('An organization may have at most 100 domains'));
  });
});

describe('every operation on domains', () => {
  it('is for Owners of the organization', async () => {
    const { domain_id } = await added();
    const stranger = await service.newPerson();
    const member = await service.newPerson();
    await service.db.memberships.insertOne({
      membership_id: `member ${turn}`,
      organization_id,
      department_id: organization.department_id,
      user_id: member.user_id,
      role: 'Admin',
      granted_by: owner.user_id,
      granted_at: '2026-01-15T09:30:00.000Z',
    });
    const calls: [method: string, path: string, body?: object][] = [
      ['POST', DOMAINS, { organization_id, domain: 'evil.com' }],
      ['GET', `${DOMAINS}?organization_id=${organization_id}`],
      ['POST', `${DOMAINS}/${domain_id}/verify`],
      ['PATCH', `${DOMAINS}/${domain_id}`, { sso_required: true }],
      ['DELETE', `${DOMAINS}/${domain_id}`],
    ];
    for (const call of calls) {
      expect(outcome(await stranger.call(...call)), call.join(' ')).toStrictEqual(NOT_FOUND);
      expect(outcome(await member.call(...call)), call.join(' ')).toStrictEqual(forbidden());
    }
    expect(await service.db.ssoDomains.find({ organization_id }).toArray()).toHaveLength(1);
  });

  it('returns 404 for an unknown domain', async () => {
    for (const [method, path, body] of [
      ['POST', '/verify'],
      ['PATCH', '', { sso_required: false }],
      ['DELETE', ''],
    ] as const)
      expect(outcome(await owner.call(method, `${DOMAINS}/none${path}`, body))).toStrictEqual(NOT_FOUND);
  });
});

describe('GET /api/v1/sso/domains', () => {
  it('lists the domains of the organization alone', async () => {
    const other = await service.newOrganization({ domain: null });
    await added({ organization_id: other.organization_id, domain: `other${turn}.com` }, other.owner);
    const first = await verified();
    service.clock.advance(1);
    const second = await added({ domain: `second${turn}.com` });
    const list = async (query = '') =>
      outcome(await owner.call('GET', `${DOMAINS}?organization_id=${organization_id}${query}`));
    expect(await list()).toEqual(onePage(second, first));
    expect(await list('&search=COND')).toEqual(onePage(second));
    expect((await list('&organization_id=x')).status).toBe(400);
    expect((await owner.call('GET', DOMAINS)).status).toBe(400);
  });
});

describe('POST /api/v1/sso/domains/{domain_id}/verify', () => {
  it('verifies a domain whose record is there', async () => {
    const record = await added();
    records.set(record.record.name, [
      ['v=spf1 -all'],
      ['gatehouse-', record.record.value.slice('gatehouse-'.length)],
    ]);
    service.clock.advance(5);
    const verified_at = new Date(service.clock.now()).toISOString();
    const [event, ...others] = await eventsOf(service, async () => {
      for (const _ of ['first', 'again'])
        expect(outcome(await verify(record))).toStrictEqual({
          status: 200,
          body: { ...record, verified: true, verified_at },
        });
    });
    expect(others).toEqual([]);
    expect(event).toMatchObject({ action: 'domain.verify', after: { domain }, organization_id });
    expect(await service.db.ssoDomains.findOne({ domain })).toMatchObject({ verified_domain: domain });
  });

  it.each([
    ['no record', undefined, 'There is no TXT record'],
    ['a name without TXT records', 'ENODATA', 'There is no TXT record'],
    ['another token', [['gatehouse-verification=x']], 'No TXT record that is right'],
    ['the token alone', [['TOKEN']], 'No TXT record that is right'],
    ['the value in two records', [['gatehouse-verification='], ['TOKEN']], 'No TXT record that is right'],
    ['more after the value', [['gatehouse-verification=TOKENx']], 'No TXT record that is right'],
  ])('refuses %s', async (_, answer, words) => {
    const record = await added();
    const { name, value } = record.record;
    const token = value.split('=')[1];
    if (Array.isArray(answer))
      records.set(
        name,
        answer.map((parts) => parts.map((part) => part.replace('TOKEN', token))),
      );
    else if (answer) records.set(name, answer);
    expect(outcome(await verify(record))).toStrictEqual(
      forbidden(
        `${words} at ${name}: add one with the value ${value}, and allow for the time that DNS takes`,
      ),
    );
    expect((await service.db.ssoDomains.findOne({ domain }))?.verified_domain).toBeUndefined();
  });

  it.each(['ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED'])('is 503 while name servers answer %s', async (code) => {
    const record = await added();
    records.set(record.record.name, code);
    expect(outcome(await verify(record))).toStrictEqual(
      refused(
        503,
        'SERVICE_UNAVAILABLE',
        'Service unavailable',
        `The name servers of ${domain} did not answer (${code}), please try again`,
      ),
    );
  });

  it('does not accept the record of another organization', async () => {
    const other = await service.newOrganization({ domain: null });
    publish(await added());
    const theirs = await added({ organization_id: other.organization_id }, other.owner);
    expect((await verify(theirs, other.owner)).status).toBe(403);
  });

  it('refuses a domain that another organization has verified', async () => {
    const first = await verified();
    const other = await service.newOrganization({ domain: null });
    const theirs = await added({ organization_id: other.organization_id }, other.owner);
    records.set(first.record.name, [[first.record.value], [theirs.record.value]]);
    expect(outcome(await verify(theirs, other.owner))).toStrictEqual(
      refused(
        409,
        'DUPLICATE_RESOURCE',
        'Resource already exists',
        `Another organization has verified ${domain}`,
      ),
    );
  });

  it('takes a domain from an organization whose record is gone', async () => {
    await service.newConnection({ organization_id }, { protocol: 'oidc' });
    const lost = await verified();
    await owner.call('PATCH', `${DOMAINS}/${lost.domain_id}`, { sso_required: true });
    const other = await service.newOrganization({ domain: null });
    const theirs = await added({ organization_id: other.organization_id }, other.owner);
    expect((await verify(theirs, other.owner)).status).toBe(403);
    publish(theirs);
    const events = await eventsOf(service, async () => {
      expect((await verify(theirs, other.owner)).body).toMatchObject({ verified: true });
    });

    expect(events).toMatchObject([
      {
        action: 'domain.update',
        user_id: null,
        email: null,
        before: { domain, verified: 'true', sso_required: 'true' },
        after: { domain, verified: 'false', sso_required: 'false' },
        organization_id,
      },
      { action: 'domain.verify', user_id: other.owner.user_id, organization_id: other.organization_id },
    ]);
    const { body } = await owner.call(
      'GET',
      `/api/v1/organizations/${organization_id}/audit?action=domain.update`,
    );
    expect(body.data[0]).toMatchObject({ actor: { user_id: null, email: null }, address: null });
    const left = await service.db.ssoDomains.findOne({ domain_id: lost.domain_id });
    expect([left?.verified_domain, left?.sso_required]).toEqual([undefined, false]);
    // Its record is not back, so it stays without the domain.
    expect((await verify(lost)).status).toBe(403);
  });

  it('gives a domain to one of two organizations at once', async () => {
    const other = await service.newOrganization({ domain: null });
    const ours = await added();
    const theirs = await added({ organization_id: other.organization_id }, other.owner);
    records.set(ours.record.name, [[ours.record.value], [theirs.record.value]]);
    const answers = await Promise.all([verify(ours), verify(theirs, other.owner)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await service.db.ssoDomains.countDocuments({ verified_domain: domain })).toBe(1);
  });

  it('needs the plan', async () => {
    const record = await added();
    await service.db.departments.updateMany(
      { organization_id },
      { $set: { 'billing.payment_status': 'failed' } },
    );
    publish(record);
    expect(outcome(await verify(record))).toStrictEqual(forbidden(NO_PLAN));
  });

  it('needs the record for reserved names in production', async () => {
    expect((await verify(await added({ domain: `corp${turn}.example` }))).status).toBe(403);
  });

  it('needs no record for reserved names outside production', async () => {
    const laptop = await startSsoService();
    const { organization_id, owner } = await laptop.newOrganization({ domain: null });
    const verdictOn = async (domain: string) => {
      const { body } = await owner.call('POST', DOMAINS, { organization_id, domain });
      return (await verify(body, owner)).status;
    };
    for (const name of ['corp.example', 'corp.test', 'corp.localhost', 'a.corp.example'])
      expect([name, await verdictOn(name)]).toEqual([name, 200]);
    for (const name of ['example.com', 'corp.example.com', 'notexample.invalid', 'corpexample.xexample'])
      expect([name, await verdictOn(name)]).toEqual([name, 403]);
    await laptop.stop();
  });
});

describe('PATCH /api/v1/sso/domains/{domain_id}', () => {
  const require = ({ domain_id }: { domain_id: string }, sso_required: unknown) =>
    owner.call('PATCH', `${DOMAINS}/${domain_id}`, { sso_required });

  it('requires single sign-on and stops requiring it', async () => {
    await service.newConnection({ organization_id }, { protocol: 'oidc' });
    const record = await verified();
    const events = await eventsOf(service, async () => {
      for (const sso_required of [true, true, false])
        expect(outcome(await require(record, sso_required))).toStrictEqual({
          status: 200,
          body: { ...record, sso_required },
        });
    });
    expect(events.map(({ action, before, after }) => [action, before, after])).toEqual([
      ['domain.update', { domain, sso_required: 'false' }, { domain, sso_required: 'true' }],
      ['domain.update', { domain, sso_required: 'true' }, { domain, sso_required: 'false' }],
    ]);
  });

  it('needs a verified domain', async () => {
    await service.newConnection({ organization_id }, { protocol: 'oidc' });
    expect(outcome(await require(await added(), true))).toStrictEqual(
      forbidden('The domain is not verified'),
    );
  });

  it('needs an enabled connection', async () => {
    await service.newConnection({ organization_id }, { protocol: 'oidc', enabled: false });
    expect(outcome(await require(await verified(), true))).toStrictEqual(
      forbidden('The organization has no enabled connection: nobody could log in but its Owners'),
    );
  });

  it('needs the connection that the domain is bound to', async () => {
    await service.newConnection({ organization_id }, { protocol: 'oidc' });
    const off = await service.newConnection({ organization_id }, { protocol: 'saml', enabled: false });
    const { domain_id } = await verified();
    const bind = (fields: object) =>
      owner.call('PATCH', `${DOMAINS}/${domain_id}`, { connection_id: off.connection_id, ...fields });
    const text = 'The connection of the domain is disabled: nobody could log in but its Owners';
    expect(outcome(await bind({ sso_required: true }))).toStrictEqual(forbidden(text));
    expect((await require({ domain_id }, true)).status).toBe(200);
    expect(outcome(await bind({}))).toStrictEqual(forbidden(text));
    expect((await bind({ sso_required: false })).status).toBe(200);
  });

  it('needs the plan to require it, not to stop', async () => {
    await service.newConnection({ organization_id }, { protocol: 'oidc' });
    const record = await verified();
    await require(record, true);
    await service.db.departments.updateMany(
      { organization_id },
      { $set: { 'billing.payment_status': 'failed' } },
    );
    expect(outcome(await require(record, true))).toStrictEqual(forbidden(NO_PLAN));
    expect((await require(record, false)).status).toBe(200);
  });

  it('binds the domain to a connection of the organization, and releases it', async () => {
    const { connection_id } = await service.newConnection({ organization_id }, { protocol: 'oidc' });
    const record = await added({ connection_id });
    expect(record.connection_id).toBe(connection_id);
    const change = (body: object) => owner.call('PATCH', `${DOMAINS}/${record.domain_id}`, body);
    const events = await eventsOf(service, async () => {
      expect((await change({ connection_id: null })).body).toStrictEqual({ ...record, connection_id: null });
      expect((await change({ connection_id, sso_required: false })).body).toStrictEqual(record);
    });
    const [free, bound] = [
      { domain, sso_required: 'false' },
      { domain, sso_required: 'false', connection_id },
    ];
    expect(events.map(({ before, after }) => [before, after])).toEqual([
      [bound, free],
      [free, bound],
    ]);
    await owner.call('DELETE', `/api/v1/sso/connections/${connection_id}`);
    expect((await owner.call('GET', `${DOMAINS}?organization_id=${organization_id}`)).body.data).toEqual([
      { ...record, connection_id: null },
    ]);
  });

  it('refuses to bind a domain to a connection of another organization or to one being deleted', async () => {
    const other = await service.newOrganization({ domain: null });
    const foreign = await service.newConnection(other, { protocol: 'oidc' });
    const deleted = await service.newConnection(
      { organization_id },
      { protocol: 'oidc', deleted_at: new Date(service.clock.now()) },
    );
    const { domain_id } = await added();
    const wrong = refused(
      400,
      'INVALID_FORMAT',
      'The request is malformed',
      'connection_id must be a connection of the organization',
    );
    for (const { connection_id } of [foreign, deleted]) {
      expect(outcome(await owner.call('PATCH', `${DOMAINS}/${domain_id}`, { connection_id }))).toStrictEqual(
        wrong,
      );
      expect(outcome(await add({ domain: 'other.com', connection_id }))).toStrictEqual(wrong);
    }
  });

  it.each([
    [undefined, 'INVALID_FORMAT', 'body must contain a field to change'],
    ['true', 'INVALID_FORMAT', 'sso_required must be true or false'],
    [null, 'INVALID_FORMAT', 'sso_required must be true or false'],
  ])('refuses %j', async (sso_required, code, details) => {
    const { status, body } = await require(await added(), sso_required);
    expect([status, body.error.code, body.error.details]).toEqual([400, code, details]);
  });
});

describe('DELETE /api/v1/sso/domains/{domain_id}', () => {
  it('removes a domain, which another organization may then verify', async () => {
    const { domain_id } = await verified();
    const [event] = await eventsOf(service, async () => {
      expect(outcome(await owner.call('DELETE', `${DOMAINS}/${domain_id}`))).toStrictEqual({
        status: 200,
        body: { message: 'Domain removed' },
      });
    });
    expect(event).toMatchObject({ action: 'domain.remove', before: { domain, sso_required: 'false' } });
    expect(outcome(await owner.call('DELETE', `${DOMAINS}/${domain_id}`))).toStrictEqual(NOT_FOUND);
    const other = await service.newOrganization({ domain: null });
    expect(await verified({ organization_id: other.organization_id }, other.owner)).toMatchObject({
      verified: true,
    });
  });
});
