import type { Role } from '@gatehouse/shared/access/rbac';
import { expect, test } from 'vitest';
import type { Grant } from '../../../services/user/access/access-list.ts';
import { accessListWrite } from '../../../services/user/access/succession.ts';
import type { StoredChatbot } from '../../../services/user/chatbots/records.ts';

const chatbot = (fields: object = {}) => ({ chatbot_id: 'bot', owner_id: 'ada', ...fields }) as StoredChatbot;
const list = (entries: Record<string, Role>): Grant[] =>
  Object.entries(entries).map(([user_id, role]) => ({ user_id, role, granted_by: 'x', granted_at: 'x' }));

test.each<[what: string, entries: Record<string, Role>, fallback: string | undefined, owner_id: string]>([
  ['the owner stays while they are an Owner', { bob: 'Owner', ada: 'Owner' }, 'eve', 'ada'],
  ['the first other Owner succeeds', { carol: 'Admin', bob: 'Owner', dan: 'Owner' }, 'eve', 'bob'],
  ['a lowered owner is succeeded', { ada: 'Viewer', bob: 'Owner' }, undefined, 'bob'],
  ['the fallback succeeds where no Owner is left', { bob: 'Admin' }, 'eve', 'eve'],
])('%s', (_what, entries, fallback, owner_id) => {
  const permissions = list(entries);
  expect(accessListWrite(chatbot(), permissions, fallback).update.$set).toStrictEqual({
    owner_id,
    permissions,
  });
});

test('a fallback owner loses a lower role on the list', () => {
  const { update } = accessListWrite(chatbot(), list({ eve: 'Viewer', bob: 'Admin' }), 'eve');
  expect(update.$set).toStrictEqual({ owner_id: 'eve', permissions: list({ bob: 'Admin' }) });
});

test('the last Owner cannot be removed', () => {
  expect(() => accessListWrite(chatbot(), list({ bob: 'Admin' }))).toThrow(
    'The last Owner cannot be removed',
  );
});

test.each([
  [chatbot({ access_version: 7 }), 7],
  [chatbot(), { $exists: false }],
])('the write matches only the list that was read: %j', (read, access_version) => {
  const { filter, update } = accessListWrite(read, list({ ada: 'Owner' }));
  expect(filter).toStrictEqual({ chatbot_id: 'bot', owner_id: 'ada', access_version });
  expect(update.$inc).toStrictEqual({ access_version: 1 });
});
