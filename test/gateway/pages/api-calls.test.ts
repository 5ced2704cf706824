import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentedCalls } from '../../fixtures/documented-calls.ts';
import { startGateway } from '../../fixtures/gateway.ts';
import { startServices } from '../../fixtures/services.ts';

const BROWSER = 'services/gateway/pages/browser';
const METHODS: Record<string, string> = {
  get: 'GET',
  post: 'POST',
  postForm: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  remove: 'DELETE',
};

let services: Awaited<ReturnType<typeof startServices>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  services = await startServices();
  gateway = await startGateway({
    env: { LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user },
  });
});
afterAll(async () => {
  await gateway.stop();
  await services.stop();
});

/** The calls in the source of the pages: `get<Profile>('/api/v1/users/me')`. Each `${…}` stands for one segment. */
async function callsInSource() {
  const files = (await readdir(BROWSER, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const calls: { file: string; method: string; url: string }[] = [];
  for (const file of files) {
    const source = await readFile(`${BROWSER}/${file}`, 'utf8');
    const found = source.matchAll(
      /\b(get|post|postForm|put|patch|remove)(?:<[^()]*>)?\(\s*(['`])(\/(?:api|v2|auth)\/.*?)\2/gs,
    );
    for (const [, name = '', , path = ''] of found) {
      const url = path.replace(/\?.*$/s, '').replace(/\$\{[^}]*\}/g, 'id');
      calls.push({ file, method: METHODS[name] ?? name, url });
    }
  }
  return calls;
}

test('every operation that the pages call is in the OpenAPI document', async () => {
  const problem = await documentedCalls(gateway.url);
  const calls = await callsInSource();
  expect(calls.length).toBeGreaterThan(10);
  expect(calls.map((call) => [call.file, problem(call)]).filter(([, found]) => found)).toEqual([]);
});

test('a call that the document lacks is noticed', async () => {
  const problem = await documentedCalls(gateway.url);
  const contentType = 'application/json';
  expect(problem({ method: 'GET', url: '/api/v1/users/nobody' })).toBe(
    'GET /api/v1/users/nobody is not documented',
  );
  expect(problem({ method: 'PUT', url: '/api/v1/users/me' })).toBe('PUT /api/v1/users/me is not documented');
  expect(problem({ method: 'GET', url: '/api/v1/chatbots?colour=red' })).toBe(
    'GET /api/v1/chatbots has no parameter colour',
  );
  expect(problem({ method: 'PATCH', url: '/api/v1/users/me', contentType, body: '{"nick":"A"}' })).toBe(
    'PATCH /api/v1/users/me has no field nick',
  );
  expect(
    problem({ method: 'PATCH', url: '/api/v1/users/me', contentType, body: '{"name":"A"}' }),
  ).toBeUndefined();
});
