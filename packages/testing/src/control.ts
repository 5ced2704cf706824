import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyError, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { refuseForeign } from './refuse-foreign.ts';
import { FAULTS, type Gatehouse, type Snapshot } from './start-gatehouse.ts';

const HOST = '127.0.0.1';
/** The snapshots kept, each of some megabytes; the oldest goes first. */
const MAX_SNAPSHOTS = 100;

const duration = z.union([z.string(), z.number()]);
const waiting = { timeout: z.int().min(0).max(600_000).optional() };
const BODIES = {
  advance: z.strictObject({ by: duration }),
  set: z.strictObject({ to: duration }),
  mail: z.strictObject({ address: z.string(), ...waiting }),
  session: z.looseObject({
    email: z.string(),
    /** An app that keeps the token in localStorage; the answer has its `storageState`. */
    app: z.strictObject({ origin: z.url(), key: z.string() }).optional(),
  }),
  fail: z.strictObject({ fault: z.enum(FAULTS) }),
  heal: z.strictObject({ fault: z.enum(FAULTS).optional() }),
};

/** Serves a test kit to tests in any language, as JSON over HTTP on loopback. */
export async function startControl(gate: Gatehouse, port: number) {
  const app = Fastify({ bodyLimit: 16 * 1024 * 1024 });
  const snapshots = new Map<string, Snapshot>();
  let taken = 0;
  // JSON alone: a page elsewhere can send a form or text without asking.
  app.removeContentTypeParser('text/plain');
  app.addHook('onRequest', async (request) => refuseForeign(request));
  app.setErrorHandler<FastifyError>((error, _request, reply) =>
    reply.code(error.statusCode ?? 400).send({ error: error.message }),
  );
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: 'not found; GET / lists the calls' }),
  );

  const calls: Record<string, (request: FastifyRequest) => unknown> = {
    'POST /clock/advance': async ({ body }) => ({ now: await gate.clock.advance(parse('advance', body).by) }),
    'POST /clock/set': async ({ body }) => ({ now: await gate.clock.set(parse('set', body).to) }),
    'GET /clock': () => ({ now: gate.clock.now() }),
    'POST /mails': ({ body }) => ({ mails: gate.mail.all(parse('mail', body).address) }),
    'POST /mails/next': ({ body }) => gate.mail.next(...addressed(body)),
    'POST /code': async ({ body }) => ({ code: await gate.code(...addressed(body)) }),
    'POST /captcha': async () => ({ token: await gate.captcha() }),
    'POST /session': async ({ body }) => {
      const { app: target, ...wanted } = parse('session', body);
      const { storageState, ...session } = await gate.session(wanted);
      return { ...session, ...(target && { storageState: storageState(target) }) };
    },
    'POST /seed': ({ body }) => gate.seed(body as object),
    'POST /snapshots': async () => {
      taken += 1;
      const id = String(taken);
      snapshots.set(id, await gate.snapshot());
      const [oldest = id] = snapshots.keys();
      if (snapshots.size > MAX_SNAPSHOTS) snapshots.delete(oldest);
      return { id };
    },
    'POST /snapshots/:id/restore': async ({ params }) => {
      const { id } = params as { id: string };
      const snapshot = snapshots.get(id);
      if (!snapshot) throw Object.assign(new Error(`no snapshot ${JSON.stringify(id)}`), { statusCode: 404 });
      await gate.restore(snapshot);
      return { now: gate.clock.now() };
    },
    'POST /fail': async ({ body }) => {
      await gate.fail(parse('fail', body).fault);
      return {};
    },
    'POST /heal': async ({ body }) => {
      await gate.heal(parse('heal', body).fault);
      return {};
    },
  };
  app.get('/', () => ({ url: gate.url, env: gate.env, now: gate.clock.now(), calls: Object.keys(calls) }));
  for (const [line, handler] of Object.entries(calls)) {
    const [method = '', url = ''] = line.split(' ');
    app.route({ method, url, handler: async (request) => handler(request) });
  }
  await app.listen({ host: HOST, port });
  return {
    url: `http://${HOST}:${(app.server.address() as AddressInfo).port}`,
    stop: () => app.close(),
  };
}

function addressed(body: unknown): [address: string, waiting: { timeout?: number }] {
  const { address, timeout } = parse('mail', body);
  return [address, timeout === undefined ? {} : { timeout }];
}

/** @throws an Error that names the field. */
function parse<Name extends keyof typeof BODIES>(name: Name, body: unknown): z.infer<(typeof BODIES)[Name]> {
  const { success, data, error } = BODIES[name].safeParse(body ?? {});
  if (success) return data as z.infer<(typeof BODIES)[Name]>;
  throw new Error(
    error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; '),
  );
}
