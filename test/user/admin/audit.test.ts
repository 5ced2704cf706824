import { type AuditEvent, orderedUuid } from '@gatehouse/shared/identity/audit';
import { beforeAll, describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { eventsOf } from '../../fixtures/audit.ts';
import { explained, freshDatabase } from '../../fixtures/database.ts';
import { forbidden, malformed } from '../access/failures.ts';
import { accounts, read, service, withAdmin } from './operator-service.ts';

withAdmin();

const DAY = 86_400_000;

const stored = (at: number, fields: Partial<AuditEvent> = {}): AuditEvent => ({
  event_id: orderedUuid(),
  at: new Date(at),
  action: 'login',
  outcome: 'success',
  user_id: 'User-700001',
  email: 'eve@example.com',
  target: {},
  before: null,
  after: null,
  organization_id: null,
  department_id: null,
  address: '203.0.113.7',
  request_id: 'request 1',
  ...fields,
});

/** A name that a spreadsheet, a log and a CSV parser would each read as something else. */
const HOSTILE = '=HYPERLINK("http://evil.example","x")\r\n"level":"admin",\u2028';

let events: Record<string, AuditEvent>;
beforeAll(async () => {
  const now = service.clock.now();
  events = {
    old: stored(now - 40 * DAY, { action: 'signup' }),
    refused: stored(now - 5_000, { outcome: 'Invalid credentials', address: '2001:db8::1' }),
    other: stored(now - 4_000, { user_id: 'User-700002', email: 'bob@example.com', request_id: 'request 2' }),
    about: stored(now - 3_000, {
      action: 'member.remove',
      target: { user_id: 'User-700009' },
      organization_id: 'organization 1',
      department_id: 'department 1',
    }),
    named: stored(now - 2_000, {
      action: 'organization.update',
      target: { email: 'mallory@example.com' },
      before: { name: HOSTILE },
      after: { name: '+1' },
      organization_id: 'organization 1',
    }),
  };
  await service.db.auditEvents.insertMany(Object.values(events).map((event) => ({ ...event })));
});

const nameOf = (event_id: string) =>
  Object.entries(events).find(([, event]) => event.event_id === event_id)?.[0] ?? 'another';
const found = async (query: string) =>
  (await read(`/audit?${query}`)).body.data.map(({ event_id }: { event_id: string }) => nameOf(event_id));

describe('GET /audit', () => {
  test('lists the events of everybody, newest first', async () => {
    const { named } = events;
    const { status, body } = await read('/audit?limit=2');
    expect(status).toBe(200);
    expect(body.data[0]).toStrictEqual({
      event_id: named?.event_id,
      at: named?.at.toISOString(),
      action: 'organization.update',
      outcome: 'success',
      actor: { user_id: 'User-700001', email: 'eve@example.com' },
      target: { email: 'mallory@example.com' },
      before: { name: HOSTILE },
      after: { name: '+1' },
      organization_id: 'organization 1',
      department_id: null,
      address: '203.0.113.7',
      request_id: 'request 1',
    });
    expect(body.pagination).toStrictEqual({
      page: 1,
      limit: 2,
      total_items: 5,
      total_pages: 3,
      has_next: true,
      has_prev: false,
    });
    expect(await found('')).toEqual(['named', 'about', 'other', 'refused', 'old']);
    expect(await found('order=asc&limit=1')).toEqual(['old']);
  });

  test.each([
    ['action=member.remove', ['about']],
    ['outcome=Invalid%20credentials', ['refused']],
    ['actor=User-700002', ['other']],
    ['actor=BOB@example.com', ['other']],
    ['target=User-700009', ['about']],
    ['target=Mallory@Example.com', ['named']],
    ['organization_id=organization%201', ['named', 'about']],
    ['department_id=department%201', ['about']],
    ['address=2001:db8::1', ['refused']],
    ['request_id=request%202', ['other']],
    ['search=ORGANIZATION.', ['named']],
    ['search=.*', []],
    ['actor=User-700002&action=signup', []],
    ['actor=User-700001&organization_id=organization%201&action=member.remove', ['about']],
  ])('filters by %s', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  test('filters by a period, which ends before its end', async () => {
    const { refused, about } = events;
    const period = `from=${refused?.at.toISOString()}&to=${about?.at.toISOString()}`;
    expect(await found(period)).toEqual(['other', 'refused']);
    expect(await found('from=0001-01-01T00:00:00Z&to=9999-01-01T00:00:00Z')).toHaveLength(5);
  });

  test.each([
    ['action=nothing', 'action must be one of signup, '],
    ['action[$ne]=login', 'querystring holds an unknown parameter'],
    ['outcome[$regex]=.*', 'querystring holds an unknown parameter'],
    ['actor=a&actor=b', 'actor must be a string'],
    ['actor=', 'actor must be a single line of 1 to 254 characters'],
    ['target=a%0ab', 'target must be a single line of 1 to 254 characters'],
    ['address=%00', 'address must be a single line of 1 to 200 characters'],
    ['from=yesterday', 'from must be an ISO 8601 date-time'],
    ['sort_by=email', 'sort_by must be one of at'],
    ['format=xml', 'format must be one of json, csv, jsonl'],
    ['$where=1', 'querystring holds an unknown parameter'],
    ['__proto__=x', 'querystring holds an unknown parameter'],
  ])('refuses ?%s', async (query, details) => {
    const refusal = malformed(expect.stringMatching(new RegExp(`^${details}`)), service.clock);
    expect(await read(`/audit?${query}`)).toStrictEqual(refusal);
  });

  test.each(['actor=$ne', 'target={"$gt":""}', 'outcome=.*', 'request_id=*', 'address=null'])(
    'takes %s as text',
    async (query) => expect(await found(query.replaceAll('{', '%7B').replaceAll('"', '%22'))).toEqual([]),
  );
});

describe('the export', () => {
  const exported = (query: string, accept: string) =>
    accounts.admin.call('GET', `/audit?${query}`, undefined, { headers: { accept } });

  test('streams CSV that no spreadsheet runs', async () => {
    const answer = await exported('organization_id=organization%201', 'text/csv');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { named, about } = events;
    const before = JSON.stringify({ name: HOSTILE }).replaceAll('"', '""');
    expect(answer.body).toBe(
      [
        'event_id,at,action,outcome,user_id,email,operator,target,before,after,organization_id,department_id,address,request_id',
        `${named?.event_id},${named?.at.toISOString()},organization.update,success,User-700001,eve@example.com,,"{""email"":""mallory@example.com""}","${before}","{""name"":""+1""}",organization 1,,203.0.113.7,request 1`,
        `${about?.event_id},${about?.at.toISOString()},member.remove,success,User-700001,eve@example.com,,"{""user_id"":""User-700009""}",,,organization 1,department 1,203.0.113.7,request 1`,
        '',
      ].join('\r\n'),
    );
  });

  test.each(['=1+1', '+1', '-1', '@x', '＝1'])('a cell that begins with %j is a text', async (outcome) => {
    const request_id = `cell ${outcome}`;
    await service.db.auditEvents.insertOne(stored(service.clock.now() - 1_000, { outcome, request_id }));
    const { body } = await exported('format=csv&order=asc', 'text/csv');
    expect(body).toContain(`,login,'${outcome},`);
  });

  test('streams one JSON object per line, whatever is in a name', async () => {
    const { body, headers } = await exported('search=organization.', 'application/x-ndjson');
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    const lines = body.trimEnd().split('\n');
    expect(lines.map((line: string) => JSON.parse(line).before)).toEqual([{ name: HOSTILE }]);
  });

  test('the parameter decides over what the client accepts, and JSON over CSV', async () => {
    expect((await exported('format=json', 'text/csv')).body).toHaveProperty('pagination');
    expect((await exported('', 'text/csv, application/json')).body).toHaveProperty('pagination');
    expect((await exported('format=jsonl', 'application/json')).headers.get('content-type')).toBe(
      'application/x-ndjson',
    );
  });

  test('holds every event once, also of long days', async () => {
    const at = service.clock.now() - 10 * DAY;
    const crowd = Array.from({ length: 1_100 }, (_, index) =>
      stored(at + (index % 7), { request_id: 'crowd', outcome: String(index) }),
    );
    await service.db.auditEvents.insertMany(crowd);
    const { body } = await exported('request_id=crowd', 'application/x-ndjson');
    const outcomes = body
      .trimEnd()
      .split('\n')
      .map((line: string) => Number(JSON.parse(line).outcome));
    expect(outcomes).toHaveLength(1_100);
    expect(new Set(outcomes).size).toBe(1_100);
  });

  test('is audited before its first byte, with what was asked for', async () => {
    const left = await eventsOf(service, () =>
      exported('actor=eve@example.com&from=2026-01-01T00:00:00Z', 'text/csv'),
    );
    expect(left).toHaveLength(1);
    expect(left[0]).toMatchObject({
      action: 'admin.audit_export',
      user_id: accounts.admin.user_id,
      after: { format: 'csv', actor: 'eve@example.com', from: '2026-01-01T00:00:00Z' },
    });
  });

  test('needs the level admin, and a page leaves no event', async () => {
    const left = await eventsOf(service, async () => {
      const refused = await accounts.support.call('GET', '/audit?format=csv');
      expect({ status: refused.status, body: refused.body }).toStrictEqual(forbidden(service.clock));
      await read('/audit');
      expect((await accounts.admin.call('HEAD', '/audit?format=csv')).status).toBe(200);
    });
    expect(left).toStrictEqual([]);
  });
});

test('a search examines only what it returns', async () => {
  const database = await freshDatabase(COLLECTIONS);
  const { db } = database;
  const now = Date.now();
  await db.auditEvents.insertMany(
    Array.from({ length: 1_200 }, (_, index) =>
      stored(now - index, {
        action: index % 300 === 0 ? 'signup' : 'login',
        address: index % 300 === 0 ? '203.0.113.9' : '203.0.113.7',
        request_id: `request ${index}`,
      }),
    ),
  );
  const at = { $lt: new Date(now + 1) };
  for (const filter of [{}, { action: 'signup' }, { address: '203.0.113.9' }, { request_id: 'request 7' }]) {
    const run = () =>
      db.auditEvents
        .find({ at, ...filter } as object, { sort: { at: -1, event_id: -1 }, limit: 10 })
        .toArray();
    const [find] = await explained(db, run, { find: 'audit_events' });
    expect(find?.plan).not.toContain('COLLSCAN');
    expect(find?.examined).toBeLessThanOrEqual(11);
  }
  await database.drop();
});
