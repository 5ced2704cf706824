import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
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
import { operation } from './dependencies.ts';
import { SCIM_TYPE } from './errors.ts';
import { readListQuery, readSearch, SEARCH_SCHEMA } from './list-query.ts';
import { PATCH_SCHEMA } from './patch/apply.ts';
import { type Projection, readProjection } from './projection.ts';
import type { Json } from './schemas.ts';
import { names } from './version.ts';

interface Words {
  /** Which store of the host, and the name in paths. */
  store: 'users' | 'groups';
  name: 'Users' | 'Groups';
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
  store: 'users',
  name: 'Users',
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
  store: 'groups',
  name: 'Groups',
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

function operationsOn({ store, name, noun, example, created, filter, deletion, patched, audits }: Words) {
  const url = `/scim/v2/${name}` as const;
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
      store === 'users'
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
      async handle({ host, request, reply, query }) {
        const page = await host[store].list(
          request,
          readListQuery(query as Json),
          readProjection(query as Json),
        );
        return send(reply, page);
      },
    }),
    operation(`POST ${url}/.search`, {
      ...scim,
      summary: `Search ${noun}s`,
      description: 'Like the list, with its parameters in the body.',
      body: resource('The search', { schemas: [SEARCH_SCHEMA], filter: 'id pr', count: 10 }),
      returns: list,
      responses: scimErrors(),
      async handle({ host, request, reply, body }) {
        const search = readSearch(body);
        return send(reply, await host[store].list(request, readListQuery(search), readProjection(search)));
      },
    }),
    operation(`POST ${url}`, {
      ...scim,
      summary: `Create a ${noun}`,
      description:
        store === 'users'
          ? 'Creates the account too, or links the one that the address has. The domain must be verified by the organization.'
          : 'Creates a department of the organization. Members are users of this connection.',
      body: resource(`The ${noun}`, created),
      query: projection,
      returns: { 201: resource(`The ${noun} is created`, example) },
      responses: scimErrors(409),
      audits,
      async handle({ host, request, reply, query, body }) {
        const want = readProjection(query as Json);
        const made = await host[store].create(request, body);
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
      async handle({ host, request, reply, params, query }) {
        const want = readProjection(query as Json);
        const { id } = params;
        const got = await host[store].get(request, id, want);
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
      async handle({ host, request, reply, params, query, body }) {
        const want = readProjection(query as Json);
        const { id } = params;
        const replaced = await host[store].replace(request, id, body, request.headers['if-match']);
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
        ...(store === 'users'
          ? { 200: resource(patched, example) }
          : { 204: z.null().meta({ description: patched, examples: [null] }) }),
      },
      responses: scimErrors(404, 409, 412),
      audits,
      async handle({ host, request, reply, params, query, body }) {
        const want = readProjection(query as Json);
        const { id } = params;
        const changed = await host[store].patch(request, id, body, request.headers['if-match']);
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
      async handle({ host, request, reply, params }) {
        const { id } = params;
        await host[store].remove(request, id, request.headers['if-match']);
        return reply.code(204).send();
      },
    }),
  ];
}

const send = (reply: FastifyReply, body: object) => reply.header('content-type', SCIM_TYPE).send(body);

export const metaOf = ({ meta }: Json) => meta as { location: string; version: string };

const sendResource = (reply: FastifyReply, made: Json, want: Projection) =>
  send(reply.header('etag', metaOf(made).version), want.apply(made));
