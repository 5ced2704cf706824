import { beforeAll, expect, test } from 'vitest';
import type { Person } from '../user/chatbots/chatbot-service.ts';
import { service, withChatbots } from '../user/chatbots/with-chatbots.ts';

let ada: Person;
let viewer: Person;
/** Has a role in the department, owns another organization, and has a personal chatbot. */
let editor: Person;
let ids: { own: string; department: string };
withChatbots();
beforeAll(async () => {
  [ada, editor, viewer] = [await service.newPerson(), await service.newPerson(), await service.newPerson()];
  const [place] = await service.newOrganization([ada], 3);
  await service.newOrganization([editor], 3);
  await service.storeMember(ada, { ...place, role: 'Owner' });
  await service.storeMember(editor, { ...place, role: 'Editor' });
  await service.storeMember(viewer, { ...place, role: 'Viewer' });
  const department = await ada.create({ department_id: place.department_id });
  ids = { own: (await editor.create()).chatbot_id, department: department.chatbot_id };
});

async function commandsOf(person: Person, method: string, path: string, body?: unknown) {
  service.commands.length = 0;
  const { status } = await person.call(method, path, body);
  return { status, commands: [...service.commands] };
}

/** Stores the audit event of a change. */
const AUDIT = 'insert';

/** Finds the bearer's user and aggregates their roles, then runs the operation's own commands. */
const authorized = (...own: string[]) => ['find', 'aggregate', ...own];

test.each(['own', 'department'] as const)('decides the role with one command: %s chatbot', async (which) => {
  const path = `/${ids[which]}`;
  for (const [method, body, own] of [
    ['GET', undefined, ['find']],
    ['PATCH', { name: 'Night porter' }, ['findAndModify', AUDIT]],
  ] as const)
    expect(await commandsOf(editor, method, path, body)).toStrictEqual({
      status: 200,
      commands: authorized(...own),
    });
  expect(await commandsOf(editor, 'POST', `${path}/duplicate`)).toEqual({
    status: 201,
    // The update removes the mark once `chatbot.created` is accepted.
    commands: authorized('find', 'insert', 'update', AUDIT),
  });
  expect(await commandsOf(which === 'own' ? editor : ada, 'DELETE', path)).toEqual({
    status: 200,
    commands: authorized('findAndModify', AUDIT),
  });
});

test('checks a bearer with one command', async () => {
  const disabled = await service.newPerson({ account_status: 'disabled' });
  expect(await commandsOf(disabled, 'GET', `/${ids.own}`)).toEqual({ status: 401, commands: ['find'] });
});

test('creates a personal chatbot without reading roles', async () => {
  const chatbot = { name: 'Porter', type: '3d', avatar_id: '7', language: 'en' };
  expect(await commandsOf(ada, 'POST', '/create', chatbot)).toEqual({
    status: 201,
    commands: ['find', 'insert', 'update', AUDIT],
  });
});

test('decides between 403 and 404 with one more command', async () => {
  const chatbot = await ada.create();
  await ada.grant(chatbot, viewer, 'Viewer');
  const path = `/${chatbot.chatbot_id}`;
  expect(await commandsOf(viewer, 'DELETE', path)).toEqual({
    status: 403,
    commands: authorized('findAndModify', 'find'),
  });
  expect(await commandsOf(editor, 'DELETE', path)).toEqual({
    status: 404,
    commands: authorized('findAndModify', 'find'),
  });
  expect(await commandsOf(editor, 'GET', path)).toEqual({ status: 404, commands: authorized('find') });
});
