import type { Role } from '@gatehouse/shared/access/rbac';
import { expect, test } from 'vitest';
import type { Grant } from '../../../services/user/access/access-list.ts';
import { accessListWrite } from '../../../services/user/access/succession.ts';
import type { StoredChatbot } from '../../../services/user/chatbots/records.ts';

const chatbot = (fields: object = {}) => ({ chatbot_id: 'bot', owner_id: 'ada', ...fields }) as StoredChatbot;
const list = (entries: Record<string, Role>): Grant[] =>
  Object.entries(entries).map(([user_id, role]) => ({ user_id, role, granted_by: 'x', granted_at: 'x' }));

const able = new Set(['ada', 'bob', 'carol', 'dan']);

test.each<[what: string, entries: Record<string, Role>, fallback: string | undefined, owner_id: string]>([
  ['the owner stays while they are an Owner', { bob: 'Owner', ada: 'Owner' }, 'eve', 'ada'],
  ['the first other Owner succeeds', { carol: 'Admin', bob: 'Owner', dan: 'Owner' }, 'eve', 'bob'],
  ['an Owner who cannot act does not succeed', { mallory: 'Owner', bob: 'Owner' }, 'eve', 'bob'],
  ['a lowered owner is succeeded', { ada: 'Viewer', bob: 'Owner' }, undefined, 'bob'],
  ['the fallback succeeds where no Owner is left', { bob: 'Admin' }, 'eve', 'eve'],
  ['the fallback succeeds where no Owner can act', { mallory: 'Owner' }, 'eve', 'eve'],
])('%s', (_what, entries, fallback, owner_id) => {
  const permissions = list(entries);
  expect(accessListWrite(chatbot(), permissions, { able, fallback }).update.$set).toStrictEqual({
    owner_id,
    permissions,
  });
});

test('a fallback owner loses a lower role on the list', () => {
  const permissions = list({ eve: 'Viewer', bob: 'Admin' });
  const { update } = accessListWrite(chatbot(), permissions, { able, fallback: 'eve' });
  expect(update.$set).toStrictEqual({ owner_id: 'eve', permissions: list({ bob: 'Admin' }) });
});

test.each<[what: string, before: StoredChatbot, entries: Record<string, Role>]>([
  ['no Owner is left', chatbot(), { bob: 'Admin' }],
  ['no Owner who can act is left', chatbot(), { bob: 'Admin', mallory: 'Owner' }],
  [
    'only an owner who cannot act is left',
    chatbot({ owner_id: 'mallory', permissions: list({ bob: 'Owner' }) }),
    { mallory: 'Owner' },
  ],
])('the last Owner cannot be removed: %s', (_what, before, entries) => {
  expect(() => accessListWrite(before, list(entries), { able })).toThrow('The last Owner cannot be removed');
});

test('the list of an owner who cannot act can change', () => {
  const permissions = list({ mallory: 'Owner', bob: 'Viewer' });
  const { update } = accessListWrite(chatbot({ owner_id: 'mallory' }), permissions, { able });
  expect(update.$set).toStrictEqual({ owner_id: 'mallory', permissions });
});

test.each([
  [chatbot({ access_version: 7 }), 7],
  [chatbot(), { $exists: false }],
])('the write matches only the list that was read: %j', (read, access_version) => {
  const { filter, update } = accessListWrite(read, list({ ada: 'Owner' }), { able });
  expect(filter).toStrictEqual({ chatbot_id: 'bot', owner_id: 'ada', access_version });
  expect(update.$inc).toStrictEqual({ access_version: 1 });
});
