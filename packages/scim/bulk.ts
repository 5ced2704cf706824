import { toAppError } from '@gatehouse/shared/http/to-app-error';
import type { FastifyRequest } from 'fastify';
import { NEW_USER, resource, scim, scimErrors } from './contract.ts';
import { operation, type ScimDependencies } from './dependencies.ts';
import { errorBody, invalidValue, SCIM_TYPE, ScimError } from './errors.ts';
import { locationOf } from './location.ts';
import { metaOf } from './resources.ts';
import { isObject, type Json } from './schemas.ts';

export const MAX_OPERATIONS = 1_000;
export const MAX_PAYLOAD = 1024 * 1024;
/** Users that are created together. They share reads; their writes are smaller. */
const BATCH_SIZE = 250;

const REQUEST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const RESPONSE_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';

interface Operation {
  method: string;
  type: 'Users' | 'Groups';
  id: string | undefined;
  bulkId: string | undefined;
  version: string | undefined;
  data: unknown;
}

interface Answer {
  location?: string;
  version?: string;
  status: string;
  response?: object;
}

type Call = Pick<ScimDependencies, 'config' | 'host'> & { request: FastifyRequest };

/** RFC 7644 §3.7. */
export const bulk = operation('POST /scim/v2/Bulk', {
  ...scim,
  summary: 'Run several operations',
  description: `At most ${MAX_OPERATIONS} operations on users and groups, in order. Each has an answer of its own. Users that are created in a row are written together, which is the fastest way to create many.`,
  body: resource('The operations', {
    schemas: [REQUEST_SCHEMA],
    Operations: [{ method: 'POST', path: '/Users', bulkId: 'ada', data: NEW_USER }],
  }),
  returns: resource('The answer of each operation', {
    schemas: [RESPONSE_SCHEMA],
    Operations: [
      {
        method: 'POST',
        bulkId: 'ada',
        location: 'https://accounts.example.com/scim/v2/Users/01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        version: 'W/"1"',
        status: '201',
      },
    ],
  }),
  responses: scimErrors(),
  audits: [
    'scim.user',
    'scim.group',
    'profile.update',
    'member.grant',
    'member.remove',
    'invitation.withdraw',
  ],
  async handle({ config, host, request, reply, body }) {
    const { Operations, failOnErrors } = body as Json;
    if (!Array.isArray(Operations) || Operations.length === 0)
      throw new ScimError(400, 'Operations must be a list with at least one operation', 'invalidSyntax');
    if (Operations.length > MAX_OPERATIONS)
      throw new ScimError(413, `A call has at most ${MAX_OPERATIONS} operations`, 'tooMany');
    const maxErrors = Number.isSafeInteger(failOnErrors) ? Number(failOnErrors) : Number.POSITIVE_INFINITY;
    const answers = await run({ config, host, request }, Operations, maxErrors);
    return reply.header('content-type', SCIM_TYPE).send({ schemas: [RESPONSE_SCHEMA], Operations: answers });
  },
});

/** Runs the operations until there are too many errors. */
async function run(call: Call, given: readonly unknown[], maxErrors: number): Promise<Json[]> {
  /** The ids of created resources by their bulkId. */
  const created = new Map<string, string>();
  const answers: Json[] = [];
  let errors = 0;
  let at = 0;
  while (at < given.length && errors < maxErrors) {
    const batch = newUsersFrom(given, at, Number.isFinite(maxErrors) ? 1 : BATCH_SIZE);
    const done = batch.length > 0 ? await createBatch(call, batch) : [await runOne(call, given[at], created)];
    for (const [index, answer] of done.entries()) {
      const { method, bulkId } = headOf(given[at + index]);
      const id = answer.location?.split('/').at(-1);
      if (bulkId !== undefined && id !== undefined && answer.status === '201') created.set(bulkId, id);
      if (answer.response) errors += 1;
      answers.push({ method, ...(bulkId !== undefined && { bulkId }), ...answer });
    }
    at += done.length;
  }
  return answers;
}

function headOf(operation: unknown): { method: string; bulkId: string | undefined } {
  const { method, bulkId } = isObject(operation) ? operation : {};
  return {
    method: String(typeof method === 'string' ? method : '').toUpperCase(),
    bulkId: typeof bulkId === 'string' ? bulkId : undefined,
  };
}

/** Returns the users that are created by operations in a row. */
function newUsersFrom(given: readonly unknown[], from: number, max: number): Json[] {
  const rows = given.slice(from, from + max);
  const end = rows.findIndex(
    (each) => !isObject(each) || headOf(each).method !== 'POST' || !/^\/?Users\/?$/.test(String(each.path)),
  );
  return (end === -1 ? rows : rows.slice(0, end)) as Json[];
}

async function createBatch(call: Call, operations: readonly Json[]): Promise<Answer[]> {
  const bodies = operations.map(({ data }) => data);
  const created = await call.host.users.createMany(call.request, bodies);
  return created.map((each) => ('error' in each ? failed(call, each.error) : { ...each, status: '201' }));
}

function failed({ request }: Call, error: unknown): Answer {
  const failure = toAppError(error);
  if (failure.status >= 500) request.log.error({ err: failure.cause ?? failure }, failure.message);
  const response = errorBody(failure);
  return { status: response.status, response };
}

async function runOne(call: Call, given: unknown, created: ReadonlyMap<string, string>): Promise<Answer> {
  try {
    return await perform(call, readOperation(given, created));
  } catch (error) {
    return failed(call, error);
  }
}

const PATH = /^\/?(Users|Groups)(?:\/([^/?#]+))?\/?$/;

function readOperation(given: unknown, created: ReadonlyMap<string, string>): Operation {
  const { path, version, data } = isObject(given) ? given : {};
  const [, name, id] = PATH.exec(String(path)) ?? [];
  if (!name) throw new ScimError(400, 'path must be that of users or groups', 'invalidPath');
  return {
    ...headOf(given),
    type: name === 'Users' ? 'Users' : 'Groups',
    id: id && resolved(id, created),
    version: typeof version === 'string' ? version : undefined,
    data: withMembers(data, created),
  };
}

async function perform(call: Call, { method, type, id, version, data }: Operation): Promise<Answer> {
  const { config, host, request } = call;
  const store = type === 'Users' ? host.users : host.groups;
  if (method === 'POST' && id === undefined) return answerOf(await store.create(request, data), '201');
  if (id === undefined) throw invalidValue(`${method.slice(0, 20)} needs the id of a resource`);
  if (method === 'DELETE') await store.remove(request, id, version);
  else if (method === 'PUT') return answerOf(await store.replace(request, id, data, version), '200');
  else if (method === 'PATCH') {
    const changed = await store.patch(request, id, data, version);
    if (changed) return answerOf(changed, '200');
  } else throw new ScimError(400, 'method must be POST, PUT, PATCH or DELETE', 'invalidSyntax');
  return { location: locationOf({ config }, type, id), status: '204' };
}

const answerOf = (made: Json, status: string): Answer => ({ ...metaOnly(made), status });

function metaOnly(made: Json): Pick<Answer, 'location' | 'version'> {
  const { location, version } = metaOf(made);
  return { location, version };
}

/** The id that `bulkId:…` stands for. @throws {ScimError} if nothing was created under it. */
function resolved(id: string, created: ReadonlyMap<string, string>): string {
  if (!id.startsWith('bulkId:')) return id;
  const known = created.get(id.slice('bulkId:'.length));
  if (known === undefined)
    throw invalidValue(`${id.slice(0, 100)} names no resource that this call has created`);
  return known;
}

/** Resolves the members of a group, in a whole group or in the operations of a PATCH. */
function withMembers(data: unknown, created: ReadonlyMap<string, string>): unknown {
  if (!isObject(data)) return data;
  const member = (each: unknown): unknown =>
    isObject(each) && typeof each.value === 'string'
      ? { ...each, value: resolved(each.value, created) }
      : each;
  const { members, Operations } = data;
  return {
    ...data,
    ...(Array.isArray(members) && { members: members.map(member) }),
    ...(Array.isArray(Operations) && {
      Operations: Operations.map((each: unknown) =>
        isObject(each) && Array.isArray(each.value) ? { ...each, value: each.value.map(member) } : each,
      ),
    }),
  };
}
