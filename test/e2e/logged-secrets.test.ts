import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway } from '../fixtures/gateway.ts';
import { send } from '../fixtures/http.ts';
import { member } from '../fixtures/members.ts';
import { type Services, startServices } from '../fixtures/services.ts';

const SENTINEL = 'sentinel-that-no-line-may-hold';
const env = { LOG_LEVEL: 'trace', INTERNAL_API_KEY: `${SENTINEL}-service-key`.padEnd(64, 'x') };

let services: Services;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  services = await startServices({ env });
  gateway = await startGateway({
    env: { ...env, LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user },
    clock: services.clock,
    database: services.db,
  });
});
afterAll(async () => {
  await gateway.stop();
  await services.stop();
});

interface Operation {
  requestBody?: { content: Record<string, { schema?: { examples?: unknown[] } }> };
}

/** A value of the same shape with the sentinel in place of every string. */
function withSentinels(value: unknown): unknown {
  if (typeof value === 'string') return SENTINEL;
  if (Array.isArray(value)) return value.map(withSentinels);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withSentinels(field)]));
}

/** A value with the sentinel in the fields that hold secrets. The others are valid. */
function withSecrets(value: unknown, name = ''): unknown {
  const isSecret = /password|secret|token|otp|code|header|certificate|xml|saml/i.test(name);
  if (typeof value === 'string') return isSecret ? SENTINEL : value;
  if (Array.isArray(value)) return value.map((item) => withSecrets(item, name));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, withSecrets(field, isSecret ? name : key)]),
  );
}

test('no operation logs what a caller keeps secret, at the level trace', async () => {
  const { authorization } = await member(services.db, services.clock);
  const everyone = [`Bearer ${SENTINEL}`, authorization, `Bearer ${env.INTERNAL_API_KEY}`];
  let calls = 0;
  for (const origin of [gateway.url, services.login, services.user]) {
    const { paths } = (await send(`${origin}/openapi.json`)).body;
    for (const [template, operations] of Object.entries<Record<string, Operation>>(paths)) {
      const path = template.replace(/\{[^}]+\}/g, '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21');
      for (const [method, { requestBody }] of Object.entries(operations)) {
        const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) => {
          const example = schema?.examples?.[0] ?? {};
          return [withSentinels(example), withSecrets(example)].map((body) => ({ type, body }));
        });
        for (const { type, body } of bodies.length > 0 ? bodies : [{ type: undefined, body: undefined }]) {
          const isForm = type === 'application/x-www-form-urlencoded';
          const text = isForm
            ? new URLSearchParams(body as Record<string, string>).toString()
            : JSON.stringify(body);
          // The gateway checks every bearer in one place, so that there the callers take turns.
          const callers = origin === gateway.url ? [String(everyone[calls % everyone.length])] : everyone;
          for (const caller of callers) {
            await send(`${origin}${path}?token=${SENTINEL}&code=${SENTINEL}`, {
              method: method.toUpperCase(),
              headers: {
                authorization: caller,
                cookie: `gatehouse-sso=${SENTINEL}`,
                'idempotency-key': SENTINEL,
                ...(type && { 'content-type': type }),
              },
              ...(body !== undefined && method !== 'get' && { body: text }),
            });
            calls += 1;
          }
        }
      }
    }
  }
  const lines = [...gateway.logged, ...services.logged];
  expect(calls).toBeGreaterThan(300);
  expect(lines.length).toBeGreaterThan(calls);
  const bearer = authorization.replace('Bearer ', '');
  expect(lines.filter((line) => line.includes(SENTINEL) || line.includes(bearer))).toEqual([]);
});
