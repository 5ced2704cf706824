import { createHash, randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startGateway } from '../../../fixtures/gateway.ts';
import { type OrganizationService, startOrganizationService, type Team } from '../organization-service.ts';
import { storeExport } from '../store-export.ts';

const MIB = 1024 * 1024;
/** More chunks than the sockets between the database and a client that reads nothing hold. */
const CHUNKS = 64;

let service: OrganizationService;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let team: Team;
const contents = Array.from({ length: CHUNKS }, () => randomBytes(MIB));
beforeAll(async () => {
  service = await startOrganizationService();
  gateway = await startGateway({
    env: { USER_SERVICE_URL: service.url, LOGIN_SERVICE_URL: service.login, RATE_LIMIT: 'off' },
    clock: service.clock,
    database: service.db,
  });
  team = await service.newTeam();
});
afterAll(async () => {
  await gateway.stop();
  await service.stop();
});

/** Stores an export with these chunks. @returns its id and the address of its download at the gateway. */
async function stored(chunks: readonly Buffer[]) {
  const { organization_id, department_id, ada, place } = team;
  const created_by = ada.user_id;
  const export_id = await storeExport(service, { organization_id, department_id, created_by }, chunks);
  return { export_id, url: `${gateway.url}/api/v1/organizations${place}/exports/${export_id}/download` };
}

/** Calls the gateway and returns the response, of which nothing is read yet. */
async function call(url: string, method = 'GET', headers: Record<string, string> = {}) {
  const sent = request(url, { method, headers: { authorization: team.ada.bearer(), ...headers } }).end();
  const [response] = await once(sent, 'response');
  return response as IncomingMessage;
}

const digest = (chunks: readonly Buffer[]) => {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
};

test('a large export streams through the gateway, as fast as the client reads', async () => {
  const { url } = await stored(contents);
  const reads = vi.spyOn(service.db.exportChunks, 'findOne');
  const response = await call(url);
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({
    'content-length': String(CHUNKS * MIB),
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
  });
  // The reads come to rest before the file ends, because nothing is read here.
  let seen = -1;
  await vi.waitFor(
    () => {
      const before = seen;
      seen = reads.mock.calls.length;
      expect(seen).toBe(before);
    },
    { timeout: 60_000, interval: 500 },
  );
  expect(seen).toBeLessThan(CHUNKS);
  const received: Buffer[] = [];
  for await (const chunk of response) received.push(chunk);
  reads.mockRestore();
  expect(digest(received)).toBe(digest(contents));
});

test('the service waits longer for the gateway than the gateway for its client', async () => {
  const { url } = await stored(contents);
  const sockets: Socket[] = [];
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe('http.server.request.start', note);
  const response = await call(url);
  unsubscribe('http.server.request.start', note);
  const timeoutAt = (server: string) =>
    sockets.find(({ localPort }) => localPort === Number(new URL(server).port))?.timeout;
  expect(timeoutAt(gateway.url)).toBe(120_000);
  expect(timeoutAt(service.url)).toBeGreaterThan(120_000);
  response.destroy();
});

test('an interrupted download continues through the gateway', async () => {
  const chunks = contents.slice(0, 12);
  const { url } = await stored(chunks);
  const first = await call(url);
  const part: Buffer[] = [];
  let size = 0;
  for await (const chunk of first) {
    part.push(chunk);
    size += chunk.length;
    if (size > 5.5 * MIB) break; // closes the connection
  }
  const rest = await call(url, 'GET', { range: `bytes=${size}-`, 'if-range': String(first.headers.etag) });
  expect(rest.statusCode).toBe(206);
  expect(rest.headers['content-range']).toBe(`bytes ${size}-${12 * MIB - 1}/${12 * MIB}`);
  for await (const chunk of rest) part.push(chunk);
  expect(digest(part)).toBe(digest(chunks));
});

test('HEAD answers the size and reads no chunk', async () => {
  const { url } = await stored(contents.slice(0, 2));
  const reads = vi.spyOn(service.db.exportChunks, 'findOne');
  const response = await call(url, 'HEAD');
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-length']).toBe(String(2 * MIB));
  response.resume();
  await once(response, 'end');
  expect(reads).not.toHaveBeenCalled();
  reads.mockRestore();
});

test('a download that breaks off at the service breaks off at the client', async () => {
  const { export_id, url } = await stored(contents.slice(0, 8));
  await service.db.exportChunks.deleteOne({ export_id, seq: 7 });
  const answer = await fetch(url, { headers: { authorization: team.ada.bearer() } });
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toThrow();
});
