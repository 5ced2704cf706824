import { expect, test } from 'vitest';
import { eventually } from '../../../fixtures/eventually.ts';
import { postForm, postJson } from '../../../fixtures/http.ts';
import { RECEPTIONIST } from '../../chatbots/chatbot-service.ts';
import { service, team, withOrganizations, withTeam } from '../../organizations/with-organizations.ts';
import { runDeletions } from './run-deletions.ts';
import { tracesOf } from './traces.ts';

const DAY = 86_400;

withOrganizations({ exportTuning: { poll: 20 } });
withTeam();

test('what a person leaves behind after a life through the API is what the contract lists', async () => {
  const { db, clock, login } = service;
  const texts = { address: 'countess@lovelace.example', name: 'Augusta Byron', phone: '+44 20 7946 0000' };
  const ada = await service.newPerson({
    email: texts.address,
    name: texts.name,
    password: 'secret',
    subscription_plan: 'Enterprise',
  });
  const needles = { ...texts, user_id: ada.user_id };
  const succeed = async (call: ReturnType<typeof ada.ask>) => {
    const answer = await call;
    expect(answer.status, JSON.stringify(answer.body)).toBeOneOf([200, 201, 202]);
    return answer.body;
  };
  await succeed(ada.ask('PATCH', '/api/v1/users/me', { name: texts.name, phone: texts.phone }));
  expect((await postForm(`${login}/v2/login`, { email: texts.address, password: 'wrong' })).status).toBe(401);

  // In the organization of others, which hears of everything.
  const url = 'https://app.example.com/hooks';
  const secret = 'a webhook secret of 32 characters or more';
  const events = ['user.updated', 'organization.member.removed', 'user.deleted'];
  const { organization_id } = team;
  await succeed(team.ada.ask('POST', '/api/v1/webhooks/configure', { url, secret, events, organization_id }));
  await service.inviteMember(team.ada, team.place, ada, 'Editor');
  await service.newChatbot(ada, team.department_id);
  await succeed(ada.ask('PATCH', '/api/v1/users/me', { company: 'Engines' }));

  // In their own.
  const own = await service.create(ada, '', { name: 'Looms' });
  const department = await service.newDepartment(ada, own.organization_id);
  await service.addOwner(ada, own.organization_id, team.people.Owner);
  await succeed(
    ada.call('POST', `${department.place}/invitations`, { email: 'x@example.com', role: 'Viewer' }),
  );
  await succeed(ada.call('PUT', `/${own.organization_id}/owners/${team.people.Viewer.user_id}`));
  await succeed(
    ada.ask('POST', '/api/v1/webhooks/configure', {
      url,
      secret,
      events,
      organization_id: own.organization_id,
    }),
  );
  await succeed(
    ada.call('POST', `/${own.organization_id}/exports`, { format: 'json', data: ['members', 'audit'] }),
  );
  await eventually(async () => {
    expect((await db.exports.findOne({ created_by: ada.user_id }))?.status).toBe('ready');
  });

  // On their own.
  await succeed(ada.ask('POST', '/api/v1/webhooks/configure', { url, secret, events }));
  await succeed(ada.ask('POST', '/api/v1/chatbots/create', RECEPTIONIST));
  const second = await service.newDepartment(team.ada, organization_id);
  await succeed(
    team.ada.call('POST', `${second.place}/invitations`, { email: texts.address, role: 'Viewer' }),
  );

  const credentials = { email: texts.address, password: 'secret' };
  const { body } = await postJson(`${login}/api/v1/auth/login`, credentials);
  await succeed(
    ada.ask('DELETE', '/api/v1/users/me', undefined, { authorization: `Bearer ${body.access_token}` }),
  );
  const kept = await tracesOf(db, needles);
  for (const place of ['users', 'memberships', 'chatbots', 'webhooks', 'events', 'exports', 'export_chunks'])
    expect(
      kept.some((trace) => trace.startsWith(`${place}.`)),
      place,
    ).toBe(true);

  // Organizations have received everything by then.
  await eventually(async () => expect(await db.auditEvents.countDocuments({ relay: true })).toBe(0));
  clock.advance(14 * DAY);
  await eventually(async () => {
    clock.advance(3);
    expect(await runDeletions(service)).toEqual([]);
    expect(await db.users.findOne({ user_id: ada.user_id })).toBeNull();
  }, 100);

  // CONTRACT.md §Deletion of accounts: the user_id, and what organizations have received.
  expect(await tracesOf(db, needles)).toEqual([
    'audit_events.after.owner_id: user_id',
    'audit_events.target.user_id: user_id',
    'audit_events.user_id: user_id',
    'deleted_users._id: user_id',
    'events.payload: address',
    'events.payload: name',
    'events.payload: user_id',
    // Deleted within a day.
    'invitation_budgets.key: address',
    'invitation_budgets.key: user_id',
    'organizations.owners.granted_by: user_id',
    'webhook_deliveries.payload: name',
    'webhook_deliveries.payload: user_id',
    'webhooks.created_by: user_id',
  ]);
});
