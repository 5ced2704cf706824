import { randomUUIDv7 } from 'node:crypto';
import type { Collection, Document } from 'mongodb';
import { describe, expect, test, vi } from 'vitest';
import type { StoredChatbot } from '../../../services/user/chatbots/records.ts';
import { createExportWorker } from '../../../services/user/organizations/exports/worker.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { notFound } from '../access/failures.ts';
import { RECEPTIONIST } from '../chatbots/chatbot-service.ts';
import { pendingExport } from '../organizations/store-export.ts';
import { service, team, withOrganizations, withTeams } from '../organizations/with-organizations.ts';
import { LEASE, runJobs } from './run-jobs.ts';

const DAY = 86_400;

withOrganizations();
withTeams();

const archiveOrganization = () => team.ada.call('POST', `/${team.organization_id}/archive`);
const archiveDepartment = (body: object = { chatbots: 'delete' }) =>
  team.ada.call('POST', `${team.place}/archive`, body);
const PLACES = [
  ['an organization', archiveOrganization, () => team.ada.call('POST', `/${team.organization_id}/restore`)],
  ['a department', archiveDepartment, () => team.ada.call('POST', `${team.place}/restore`)],
] as const;

/** Stores chatbots of the Editor in the department of the team, each shared with the Viewer. */
async function storeChatbots(count: number, { organization_id, department_id, people } = team) {
  const at = service.at();
  const chatbots = Array.from(
    { length: count },
    (): StoredChatbot => ({
      ...RECEPTIONIST,
      chatbot_id: randomUUIDv7(),
      status: 'active',
      owner_id: people.Editor.user_id,
      permissions: [{ user_id: people.Viewer.user_id, role: 'Editor', granted_by: 'x', granted_at: at }],
      organization_id,
      department_id,
      created_at: at,
      updated_at: at,
      name_suffixes: [],
    }),
  );
  await service.db.chatbots.insertMany(chatbots);
  return chatbots.map(({ chatbot_id }) => chatbot_id);
}

/** Stores what else belongs to a place. */
async function storeRest({ organization_id, department_id, ada } = team) {
  const { db } = service;
  const [connection_id, webhook_id] = [randomUUIDv7(), randomUUIDv7()];
  await service.storeInvitation(team, { email: 'grace@example.com' });
  await db.ssoConnections.insertOne({
    ...{ connection_id, organization_id, slug: connection_id, scim_token: connection_id, slot: 0 },
    default_department_id: department_id,
  } as never);
  await db.ssoIdentities.insertOne({
    identity_id: connection_id,
    connection_id,
    user_id: ada.user_id,
  } as never);
  await db.scimGroups.insertOne({ connection_id, department_id } as never);
  await db.ssoDomains.insertOne({
    domain_id: connection_id,
    organization_id,
    domain: connection_id,
  } as never);
  await db.webhooks.insertOne({
    ...{ webhook_id, organization_id, department_id, owner_id: null, slot: 0, events: ['chatbot.created'] },
    ...{ url: 'https://app.example.com/hooks', status: 'paused' },
  } as never);
  await db.billingEntries.insertOne({ department_id, number: 1 } as never);
  await db.exports.insertOne({
    export_id: organization_id,
    organization_id,
    department_id,
    slot: 0,
  } as never);
  await db.exportChunks.insertOne({ export_id: organization_id, seq: 0 } as never);
  await db.webhookDeliveries.insertMany(
    ['first', 'second'].map((name) => ({
      _id: `${webhook_id} ${name}`,
      delivery_id: name,
      webhook_id,
    })) as never,
  );
}

/** Archives a department without a call, which would begin the move at once. */
const archivedInto = (department_id: string, move_to: string) =>
  service.db.departments.updateOne(
    { department_id },
    {
      $set: {
        archived_at: service.at(),
        deletes_at: new Date(service.clock.now() + 30 * DAY * 1000).toISOString(),
        due_at: new Date(service.clock.now()),
        move_to,
      },
    },
  );

/** How much is left of the team, in each collection. */
async function left({ organization_id, department_id } = team) {
  const { db } = service;
  const connections = await db.ssoConnections.distinct('connection_id', { organization_id });
  const webhooks = await db.webhooks.distinct('webhook_id', { organization_id });
  const filters: [Collection<Document>, object][] = [
    [db.organizations, { organization_id }],
    [db.departments, { organization_id }],
    [db.chatbots, { organization_id }],
    [db.memberships, { organization_id }],
    [db.webhooks, { organization_id }],
    [db.webhookDeliveries, { webhook_id: { $in: webhooks } }],
    [db.ssoConnections, { organization_id }],
    [db.ssoIdentities, { connection_id: { $in: connections } }],
    [db.scimGroups, { department_id }],
    [db.ssoDomains, { organization_id }],
    [db.departures, { organization_id }],
    [db.organizationPeople, { organization_id }],
    [db.billingEntries, { department_id }],
    [db.exports, { organization_id }],
    [db.exportChunks, { export_id: organization_id }],
  ] as never;
  const counts = await Promise.all(
    filters.map(async ([collection, filter]) => [
      collection.collectionName,
      await collection.countDocuments(filter),
    ]),
  );
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

const auditedAs = (action: string, { organization_id } = team) =>
  service.db.auditEvents.find({ organization_id, action } as never).toArray();

describe.each(PLACES)('deleting %s', (what, archive, restore) => {
  test('begins 30 days after it was archived', async () => {
    await storeChatbots(3);
    await archive();
    service.clock.advance(30 * DAY - 1);
    await runJobs(service);
    expect(await left()).toMatchObject({ organizations: 1, departments: 1, chatbots: 3 });
    expect((await restore()).status).toBe(200);
    service.clock.advance(60 * DAY);
    await runJobs(service);
    expect(await left()).toMatchObject({ organizations: 1, departments: 1, chatbots: 3 });
  });

  test('leaves nothing, and records everything', async () => {
    const chatbots = await storeChatbots(1_001);
    await storeRest();
    const other = await service.newTeam();
    const kept = await storeChatbots(3, other);
    await archive();
    service.clock.advance(30 * DAY);
    await runJobs(service);
    expect(await left()).toEqual(
      what === 'an organization'
        ? {}
        : { organizations: 1, sso_connections: 1, sso_identities: 1, sso_domains: 1 },
    );
    expect(await left(other)).toMatchObject({ organizations: 1, departments: 1, chatbots: kept.length });
    const deleted = await auditedAs('chatbot.delete');
    expect(deleted.map(({ target }) => target.chatbot_id).sort()).toEqual(chatbots.toSorted());
    expect((await auditedAs('member.remove')).length).toBe(5);
    expect((await auditedAs('invitation.withdraw')).length).toBe(1);
    expect((await auditedAs('webhook.delete')).length).toBe(1);
    expect(await auditedAs('department.delete')).toMatchObject([
      {
        user_id: null,
        email: null,
        address: null,
        before: { name: team.department.name },
        outcome: 'success',
      },
    ]);
    expect((await auditedAs('organization.delete')).length).toBe(what === 'an organization' ? 1 : 0);
  });

  test('leaves accounts and their sessions alone', async () => {
    await archive();
    service.clock.advance(30 * DAY);
    const before = await service.db.users.find().sort({ _id: 1 }).toArray();
    await runJobs(service);
    expect(await service.db.users.find().sort({ _id: 1 }).toArray()).toStrictEqual(before);
    expect((await team.people.Viewer.ask('GET', '/api/v1/users/me')).status).toBe(200);
  });

  test('hides the place at once, and nothing restores it', async () => {
    const [chatbot_id] = await storeChatbots(1);
    await archive();
    service.clock.advance(30 * DAY);
    const find = vi.spyOn(service.db.chatbots, 'find').mockImplementationOnce(() => {
      throw new Error('killed');
    });
    await runJobs(service);
    expect(find).toHaveBeenCalled();
    expect(await left()).toMatchObject({ chatbots: 1 });
    const gone = notFound(service.clock);
    for (const person of [team.ada, team.people.Owner]) {
      expect(outcome(await person.call('GET', team.place))).toStrictEqual(gone);
      const bot = `/api/v1/chatbots/${chatbot_id}`;
      const entry = `${bot}/access/${team.people.Viewer.user_id}`;
      for (const path of [bot, `${bot}/access`, `${bot}/access/me`])
        expect(outcome(await person.ask('GET', path)), path).toStrictEqual(gone);
      expect(outcome(await person.ask('PUT', entry, { role: 'Admin' }))).toStrictEqual(gone);
    }
    expect(outcome(await restore())).toStrictEqual(gone);
    const own = await team.people.Viewer.ask('GET', '/api/v1/users/me/roles');
    expect(JSON.stringify(own.body)).not.toContain(team.department_id);
    service.clock.advance(LEASE / 1000);
    await runJobs(service);
    expect(await left()).not.toHaveProperty('chatbots');
  });

  test('completes once, however often it is killed', async () => {
    await storeChatbots(501);
    await storeRest();
    await archive();
    service.clock.advance(30 * DAY);
    const { db } = service;
    const writes: [
      Collection<never>,
      'deleteMany' | 'deleteOne' | 'updateOne' | 'updateMany' | 'insertMany',
    ][] = [
      [db.chatbots, 'deleteMany'],
      [db.memberships, 'deleteMany'],
      [db.webhookDeliveries, 'deleteMany'],
      [db.webhooks, 'deleteOne'],
      [db.scimGroups, 'deleteMany'],
      [db.ssoConnections, 'updateMany'],
      [db.ssoIdentities, 'deleteMany'],
      [db.ssoDomains, 'deleteMany'],
      [db.auditEvents, 'insertMany'],
      [db.departments, 'deleteOne'],
      [db.organizations, 'deleteOne'],
    ] as never;
    // Each write fails once before it is made, and once after: the process is gone.
    for (const [collection, name] of writes)
      for (const when of ['before', 'after'] as const) {
        const write = collection[name].bind(collection) as (...given: unknown[]) => Promise<unknown>;
        const spy = vi.spyOn(collection, name).mockImplementationOnce((async (...given: unknown[]) => {
          if (when === 'after') await write(...given);
          throw new Error('killed');
        }) as never);
        await runJobs(service);
        spy.mockRestore();
        service.clock.advance(LEASE / 1000);
      }
    await runJobs(service);
    expect(await left()).not.toHaveProperty('departments');
    const targets = (await auditedAs('chatbot.delete')).map(({ target }) => target.chatbot_id);
    expect(new Set(targets).size).toBe(501);
    expect(targets.length).toBe(501);
    expect((await auditedAs('department.delete')).length).toBe(1);
  });

  test('is done by one of several processes', async () => {
    await storeChatbots(600);
    await archive();
    service.clock.advance(30 * DAY);
    await Promise.all([runJobs(service), runJobs(service), runJobs(service)]);
    expect(await left()).not.toHaveProperty('chatbots');
    expect((await auditedAs('chatbot.delete')).length).toBe(600);
    expect((await auditedAs('department.delete')).length).toBe(1);
  });

  test('stops after a page when the service stops, and another process continues at once', async () => {
    await storeChatbots(1_200);
    await archive();
    service.clock.advance(30 * DAY);
    let pages = 0;
    const deleteMany = service.db.chatbots.deleteMany.bind(service.db.chatbots);
    const spy = vi.spyOn(service.db.chatbots, 'deleteMany').mockImplementation((...given) => {
      pages += 1;
      return deleteMany(...given);
    });
    await runJobs(service, () => pages > 0);
    spy.mockRestore();
    expect(await left()).toMatchObject({ chatbots: 1_100 });
    await runJobs(service);
    expect(await left()).not.toHaveProperty('chatbots');
  });

  test('takes a chatbot whose creation had passed its check when the place was archived', async () => {
    const insertOne = service.db.chatbots.insertOne.bind(service.db.chatbots);
    vi.spyOn(service.db.chatbots, 'insertOne').mockImplementationOnce(async (...given) => {
      await archive();
      return insertOne(...given);
    });
    const { chatbot_id } = await service.newChatbot(team.people.Editor, team.department_id);
    expect((await team.ada.ask('GET', `/api/v1/chatbots/${chatbot_id}`)).status).toBe(200);
    service.clock.advance(30 * DAY);
    await runJobs(service);
    expect(await left()).not.toHaveProperty('chatbots');
  });
});

test('chatbots stay in a department that is restored before the job writes', async () => {
  const { db } = service;
  const other = await service.newDepartment(team.ada, team.organization_id);
  const [chatbot_id = ''] = await storeChatbots(1);
  await archivedInto(team.department_id, other.department_id);
  const find = db.chatbots.find.bind(db.chatbots);
  vi.spyOn(db.chatbots, 'find').mockImplementationOnce(((...given: Parameters<typeof find>) => {
    const page = find(...given).toArray();
    const restored = () => team.ada.call('POST', `${team.place}/restore`);
    return { toArray: () => page.then(async (read) => ((await restored()).status === 200 ? read : [])) };
  }) as never);
  await runJobs(service);
  expect(await db.departments.findOne({ department_id: team.department_id })).not.toHaveProperty('move_to');
  expect((await db.chatbots.findOne({ chatbot_id }))?.department_id).toBe(team.department_id);
  expect(await auditedAs('chatbot.move')).toEqual([]);
});

test('an export that is being written leaves no chunk when its department is deleted', async () => {
  const { db, clock } = service;
  await archiveDepartment();
  clock.advance(30 * DAY);
  // Only the worker of this test finds the export due.
  const later = () => clock.now() + 1_000;
  const { organization_id, department_id, ada } = team;
  const job = pendingExport({ organization_id, department_id, created_by: ada.user_id }, later());
  const { export_id } = job;
  await db.exports.insertOne({ ...job });
  const deleting = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const insertOne = db.exportChunks.insertOne.bind(db.exportChunks);
  vi.spyOn(db.exportChunks, 'insertOne').mockImplementationOnce(async (...given) => {
    await deleting.promise;
    return insertOne(...given);
  });
  const deleteOne = db.exports.deleteOne.bind(db.exports);
  vi.spyOn(db.exports, 'deleteOne').mockImplementationOnce(async (...given) => {
    deleting.resolve();
    await written.promise;
    return deleteOne(...given);
  });
  const log = { warn() {}, error() {} };
  const writing = createExportWorker({ db, now: later, log }).run().then(written.resolve);
  await vi.waitFor(() => expect(db.exportChunks.insertOne).toHaveBeenCalled());
  await Promise.all([runJobs(service), writing]);
  expect(await db.exports.countDocuments({ export_id })).toBe(0);
  expect(await db.exportChunks.countDocuments({ export_id })).toBe(0);
});

test('departments that concurrent calls made each other’s target keep their chatbots', async () => {
  const { db } = service;
  const other = await service.newDepartment(team.ada, team.organization_id);
  const [one = ''] = await storeChatbots(1);
  await Promise.all([
    archivedInto(team.department_id, other.department_id),
    archivedInto(other.department_id, team.department_id),
  ]);
  await runJobs(service);
  const moves = await db.auditEvents.countDocuments({ action: 'chatbot.move', 'target.chatbot_id': one });
  expect(moves).toBe(0);
  expect((await db.chatbots.findOne({ chatbot_id: one }))?.department_id).toBe(team.department_id);
});
