import { type Gatehouse, startGatehouse } from '@gatehouse/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '../fixtures/launcher.ts';
import { startExample } from './start-example.ts';

let gate: Gatehouse;
let api: Awaited<ReturnType<typeof startExample>>;
beforeAll(async () => {
  const [port, gatewayPort = 0] = await freePorts(2);
  api = await startExample('express-api/api.ts', {
    PORT: String(port),
    GATEHOUSE_URL: `http://localhost:${gatewayPort}`,
  });
  gate = await startGatehouse({ port: gatewayPort, env: { UPSTREAM_SELECTION: api.url } });
});
afterAll(async () => {
  await gate?.stop();
  await api?.stop();
});

/** Makes a call through the gateway, or at `base`. @returns its status and body. */
async function call(path: string, authorization?: string, note?: unknown, base = gate.url) {
  const response = await fetch(`${base}/api/v1/selection${path}`, {
    method: note === undefined ? 'GET' : 'POST',
    headers: { ...(authorization && { authorization }), 'content-type': 'application/json' },
    ...(note !== undefined && { body: JSON.stringify(note) }),
  });
  return [response.status, await response.json()];
}

test('everybody who is signed in has notes of their own', async () => {
  const ada = await gate.session({ email: 'ada@example.com' });
  const grace = await gate.session({ email: 'grace@example.com' });
  const note = { text: 'Call Charles', author: 'ada@example.com' };
  expect(await call('/notes', ada.authorization, { text: 'Call Charles' })).toStrictEqual([201, note]);
  expect(await call('/notes', ada.authorization)).toStrictEqual([200, { notes: [note] }]);
  expect(await call('/notes', grace.authorization)).toStrictEqual([200, { notes: [] }]);
  const invalid = {
    error: { code: 'VALIDATION_ERROR', message: 'text must be a string that is not empty' },
  };
  for (const body of [{}, { text: 1 }, { text: ' ' }])
    expect(await call('/notes', ada.authorization, body)).toStrictEqual([400, invalid]);
});

test('a department needs a role there with the permission', async () => {
  const lead = await gate.session({ email: 'lead@example.com', roles: { Support: 'Editor' } });
  const reader = await gate.session({ email: 'reader@example.com', roles: { Support: 'Viewer' } });
  const stranger = await gate.session({ email: 'stranger@example.com' });
  const roles = await fetch(`${gate.url}/api/v1/users/me/roles`, {
    headers: { authorization: lead.authorization },
  });
  const [department] = (await roles.json()).organizations[0].departments;
  const path = `/departments/${department.department_id}/notes`;
  const note = { text: 'Ask for the order number', author: 'lead@example.com' };
  expect(await call(path, lead.authorization, { text: note.text })).toStrictEqual([201, note]);
  expect(await call(path, reader.authorization)).toStrictEqual([200, { notes: [note] }]);
  const forbidden = (permission: string) => [
    403,
    { error: { code: 'FORBIDDEN', message: `This needs the permission "${permission}"` } },
  ];
  expect(await call(path, reader.authorization, { text: 'x' })).toStrictEqual(forbidden('manage Q&A'));
  expect(await call(path, stranger.authorization)).toStrictEqual(forbidden('view knowledge base'));
});

test('who goes around the gateway needs a session too, and one that ended is refused', async () => {
  const signIn = [401, { error: { code: 'INVALID_TOKEN', message: 'Please sign in' } }];
  const { authorization } = await gate.session({ email: 'ada@example.com' });
  expect(await call('/notes', undefined, undefined, api.url)).toStrictEqual(signIn);
  expect(await call('/notes', 'Bearer a.b.c', undefined, api.url)).toStrictEqual(signIn);
  expect((await call('/notes', authorization, undefined, api.url))[0]).toBe(200);
  expect((await call('/notes'))[0]).toBe(401);
  const { authorization: ended } = await gate.session({ email: 'grace@example.com' });
  await gate.clock.advance('61m');
  expect(await call('/notes', ended, undefined, api.url)).toStrictEqual(signIn);
});

test('while Gatehouse is away, the answer is 503', async () => {
  const { authorization } = await gate.session({ email: 'charles@example.com' });
  await using _ = await gate.fail('database');
  expect((await call('/notes', authorization, undefined, api.url))[0]).toBe(503);
});
