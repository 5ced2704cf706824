import { tooSlow } from '@gatehouse/shared/data/time-limit';
import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { connectionOf } from './bearer.ts';
import {
  EXAMPLE_GROUP,
  EXAMPLE_USER,
  listQuery,
  NEW_GROUP,
  NEW_USER,
  path,
  projection,
  resource,
  scim,
  scimErrors,
} from './contract.ts';
import { SCIM_TYPE } from './errors.ts';
import { createGroup } from './groups/create.ts';
import { deleteGroup } from './groups/delete.ts';
import { listGroups } from './groups/list.ts';
import { presentGroups } from './groups/present.ts';
import { findGroup } from './groups/records.ts';
import { patchGroup, replaceGroup } from './groups/update.ts';
import { type ListQuery, readListQuery, readSearch, SEARCH_SCHEMA } from './list-query.ts';
import { type Call, operation, type ScimOptions } from './operation.ts';
import { PATCH_SCHEMA, readOperations } from './patch/apply.ts';
import { type Projection, readProjection } from './projection.ts';
import { GROUP_ATTRIBUTES, type Json, USER_ATTRIBUTES } from './schemas.ts';
import { createUsers } from './users/create.ts';
import { deleteUser } from './users/delete.ts';
import { findUser } from './users/find.ts';
import { readUser } from './users/input.ts';
import { listUsers } from './users/list.ts';
import { presentUsers, type ScimIdentity } from './users/present.ts';
import { patchUser, replaceUser } from './users/update.ts';
import { names } from './version.ts';

type IfMatch = string | undefined;
type Want = { want: Projection };

/** The operations on one type of resource. What they return is presented, or nothing. */
export interface ResourceType {
  name: 'Users' | 'Groups';
  create(call: Call, body: unknown): Promise<Json>;
  get(call: Call, id: string, options: Want): Promise<Json>;
  list(call: Call, query: ListQuery, want: Projection): Promise<object>;
  replace(call: Call, id: string, body: unknown, ifMatch: IfMatch): Promise<Json>;
  /** Undefined where the resource may be too large to return. */
  patch(call: Call, id: string, body: unknown, ifMatch: IfMatch): Promise<Json | undefined>;
  remove(call: Call, id: string, ifMatch: IfMatch): Promise<void>;
}

const presentUser = async (call: Call, user: ScimIdentity, withGroups = true): Promise<Json> =>
  (await presentUsers(call, [user], { withGroups }))[0] as Json;

const slowList = tooSlow('The list takes too long; use a narrower filter');

export const USERS: ResourceType = {
  name: 'Users',
  async create(call, body) {
    const [created] = await createUsers(call, [readUser(body)]);
    if (!created || 'error' in created) throw created?.error;
    return presentUser(call, created);
  },
  get: async (call, id, { want }) => presentUser(call, await findUser(call, id), want.has('groups')),
  list: (call, query, want) => listUsers(call, query, want).catch(slowList),
  replace: async (call, id, body, ifMatch) => presentUser(call, await replaceUser(call, id, body, ifMatch)),
  patch: async (call, id, body, ifMatch) =>
    presentUser(call, await patchUser(call, id, readOperations(body, USER_ATTRIBUTES), ifMatch)),
  remove: deleteUser,
};

export const GROUPS: ResourceType = {
  name: 'Groups',
  create: async (call, body) => (await presentGroups(call, [await createGroup(call, body)]))[0] as Json,
  get: async (call, id, { want }) =>
    (await presentGroups(call, [await findGroup(call, id)], { withMembers: want.has('members') }))[0] as Json,
  list: (call, query, want) => listGroups(call, query, want).catch(slowList),
  replace: async (call, id, body, ifMatch) =>
    (await presentGroups(call, [await replaceGroup(call, id, body, ifMatch)]))[0] as Json,
  async patch(call, id, body, ifMatch) {
    await patchGroup(call, id, readOperations(body, GROUP_ATTRIBUTES), ifMatch);
    return undefined;
  },
  remove: deleteGroup,
};

interface Words {
  type: ResourceType;
  noun: string;
  example: object;
  created: object;
  filter: string;
  deletion: string;
  patched: string;
  /** The actions of its changes. */
  audits: readonly AuditAction[];
}

const users: Words = {
  type: USERS,
  noun: 'user',
  example: EXAMPLE_USER,
  created: NEW_USER,
  filter: 'id, userName, externalId, active, emails, meta.created and meta.lastModified',
  deletion:
    'Deactivates the user and tells the Owners of the organization by mail. The account, its memberships and chatbots stay for them to decide on.',
  patched: 'The changed user',
  audits: ['scim.user', 'profile.update', 'member.grant', 'member.remove'],
};
const groups: Words = {
  type: GROUPS,
  noun: 'group',
  example: EXAMPLE_GROUP,
  created: NEW_GROUP,
  filter: 'id, displayName, externalId and members',
  deletion:
    'Ends the memberships that this connection granted and hides the group from it. The department stays, with its chatbots and billing.',
  patched: 'The group is changed. It is not returned, since it may be large',
  audits: ['scim.group', 'member.grant', 'member.remove', 'invitation.withdraw'],
};

/** RFC 7644 §3. */
export const resources = [users, groups].flatMap(operationsOn);

function operationsOn({ type, noun, example, created, filter, deletion, patched, audits }: Words) {
  const url = `/scim/v2/${type.name}` as const;
  const list = resource(`A page of ${noun}s`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: 1,
    startIndex: 1,
    itemsPerPage: 1,
    Resources: [example],
  });
  const patch = {
    schemas: [PATCH_SCHEMA],
    Operations: [
      type === USERS
        ? { op: 'replace', path: 'active', value: false }
        : { op: 'add', path: 'members', value: [{ value: EXAMPLE_USER.id }] },
    ],
  };

  return [
    operation(`GET ${url}`, {
      ...scim,
      summary: `List ${noun}s`,
      description: `Returns the ${noun}s of the connection. A filter may use ${filter}.`,
      query: listQuery,
      returns: list,
      responses: scimErrors(),
      async handle(call) {
        const { reply, query } = call;
        return send(
          reply,
          await type.list(callOf(call), readListQuery(query as Json), readProjection(query as Json)),
        );
      },
    }),
    operation(`POST ${url}/.search`, {
      ...scim,
      summary: `Search ${noun}s`,
      description: 'Like the list, with its parameters in the body.',
      body: resource('The search', { schemas: [SEARCH_SCHEMA], filter: 'id pr', count: 10 }),
      returns: list,
      responses: scimErrors(),
      async handle(call) {
        const { reply, body } = call;
        const search = readSearch(body);
        return send(reply, await type.list(callOf(call), readListQuery(search), readProjection(search)));
      },
    }),
    operation(`POST ${url}`, {
      ...scim,
      summary: `Create a ${noun}`,
      description:
        type === USERS
          ? 'Creates the account too, or links the one that the address has. The domain must be verified by the organization.'
          : 'Creates a department of the organization. Members are users of this connection.',
      body: resource(`The ${noun}`, created),
      query: projection,
      returns: { 201: resource(`The ${noun} is created`, example) },
      responses: scimErrors(409),
      audits,
      async handle(call) {
        const { reply, query, body } = call;
        const want = readProjection(query as Json);
        const made = await type.create(callOf(call), body);
        return sendResource(reply.header('location', metaOf(made).location), made, want);
      },
    }),
    operation(`GET ${url}/{id}`, {
      ...scim,
      summary: `Get a ${noun}`,
      description: 'Has an ETag. With `If-None-Match` of the same version the answer is 304.',
      params: path,
      query: projection,
      returns: {
        200: resource(`The ${noun}`, example),
        304: z.null().meta({ description: 'The version is the one of If-None-Match', examples: [null] }),
      },
      responses: scimErrors(404),
      async handle(call) {
        const { request, reply, params, query } = call;
        const want = readProjection(query as Json);
        const { id } = params;
        const got = await type.get(callOf(call), id, { want });
        const known = request.headers['if-none-match'];
        const { version } = metaOf(got);
        if (known !== undefined && names(known, Number(/\d+/.exec(version)?.[0])))
          return reply.code(304).header('etag', version).send();
        return sendResource(reply, got, want);
      },
    }),
    operation(`PUT ${url}/{id}`, {
      ...scim,
      summary: `Replace a ${noun}`,
      description: 'With `If-Match` of another version the answer is 412.',
      params: path,
      query: projection,
      body: resource(`The ${noun}`, created),
      returns: resource(`The changed ${noun}`, example),
      responses: scimErrors(404, 409, 412),
      audits,
      async handle(call) {
        const { request, reply, params, query, body } = call;
        const want = readProjection(query as Json);
        const { id } = params;
        const replaced = await type.replace(callOf(call), id, body, request.headers['if-match']);
        return sendResource(reply, replaced, want);
      },
    }),
    operation(`PATCH ${url}/{id}`, {
      ...scim,
      summary: `Change a ${noun}`,
      description: 'All operations apply or none. With `If-Match` of another version the answer is 412.',
      params: path,
      query: projection,
      body: resource('The operations', patch),
      returns: {
        ...(type === USERS
          ? { 200: resource(patched, example) }
          : { 204: z.null().meta({ description: patched, examples: [null] }) }),
      },
      responses: scimErrors(404, 409, 412),
      audits,
      async handle(call) {
        const { request, reply, params, query, body } = call;
        const want = readProjection(query as Json);
        const { id } = params;
        const changed = await type.patch(callOf(call), id, body, request.headers['if-match']);
        return changed ? sendResource(reply, changed, want) : reply.code(204).send();
      },
    }),
    operation(`DELETE ${url}/{id}`, {
      ...scim,
      summary: `Delete a ${noun}`,
      description: deletion,
      params: path,
      returns: { 204: z.null().meta({ description: `The ${noun} is gone from SCIM`, examples: [null] }) },
      responses: scimErrors(404, 412),
      audits,
      async handle(call) {
        const { request, reply, params } = call;
        const { id } = params;
        await type.remove(callOf(call), id, request.headers['if-match']);
        return reply.code(204).send();
      },
    }),
  ];
}

const callOf = ({ request, ...options }: ScimOptions & { request: FastifyRequest }): Call => ({
  options,
  request,
  connection: connectionOf(request),
});

const send = (reply: FastifyReply, body: object) => reply.header('content-type', SCIM_TYPE).send(body);

export const metaOf = ({ meta }: Json) => meta as { location: string; version: string };

const sendResource = (reply: FastifyReply, made: Json, want: Projection) =>
  send(reply.header('etag', metaOf(made).version), want.apply(made));
