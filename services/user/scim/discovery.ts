import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { SCHEMAS } from './announced.ts';
import { MAX_OPERATIONS, MAX_PAYLOAD } from './bulk.ts';
import { config, path, resource, scimErrors, tagged } from './contract.ts';
import { notFound, readOnly, SCIM_TYPE } from './errors.ts';
import { listResponse } from './list-query.ts';
import type { ScimOptions } from './options.ts';
import { ENTERPRISE_SCHEMA, GROUP_SCHEMA, type Json, USER_SCHEMA } from './schemas.ts';

const PROVIDER_CONFIG = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: true, maxOperations: MAX_OPERATIONS, maxPayloadSize: MAX_PAYLOAD },
  filter: { supported: true, maxResults: 500 },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The SCIM token of the connection',
      primary: true,
    },
  ],
};

const RESOURCE_TYPES = [
  {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: 'User',
    name: 'User',
    endpoint: '/Users',
    description: 'A person of the organization',
    schema: USER_SCHEMA,
    schemaExtensions: [{ schema: ENTERPRISE_SCHEMA, required: false }],
  },
  {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: 'Group',
    name: 'Group',
    endpoint: '/Groups',
    description: 'A department of the organization',
    schema: GROUP_SCHEMA,
  },
];

/** The documents that describe the service (RFC 7644 §4). */
export const discovery: FastifyPluginAsyncZod<ScimOptions> = async (app, { config: settings }) => {
  const base = `${settings.PUBLIC_URL.replace(/\/$/, '')}/scim/v2`;
  const located = (document: Json, resourceType: string, at: string): Json => ({
    ...document,
    meta: { resourceType, location: `${base}${at}` },
  });

  app.get(
    '/scim/v2/ServiceProviderConfig',
    {
      config,
      schema: {
        ...tagged,
        summary: 'What the SCIM service supports',
        description: 'RFC 7643 §5.',
        response: { 200: resource('The features', PROVIDER_CONFIG), ...scimErrors() },
      },
    },
    async (_request, reply) =>
      reply
        .header('content-type', SCIM_TYPE)
        .send(located(PROVIDER_CONFIG, 'ServiceProviderConfig', '/ServiceProviderConfig')),
  );

  const documents = {
    ResourceTypes: RESOURCE_TYPES.map((each) => located(each, 'ResourceType', `/ResourceTypes/${each.id}`)),
    Schemas: SCHEMAS.map((each) => located(each, 'Schema', `/Schemas/${String(each.id)}`)),
  };
  for (const [name, all] of Object.entries(documents)) {
    const noun = name === 'Schemas' ? 'schemas' : 'resource types';
    const example = located(RESOURCE_TYPES[0] as Json, 'ResourceType', '/ResourceTypes/User');
    app.get(
      `/scim/v2/${name}`,
      {
        config,
        schema: {
          ...tagged,
          summary: `List the SCIM ${noun}`,
          description: 'RFC 7643 §6 and §7.',
          response: {
            200: resource(`All ${noun}`, listResponse(1, { skip: 0 }, [example])),
            ...scimErrors(),
          },
        },
      },
      async (_request, reply) =>
        reply.header('content-type', SCIM_TYPE).send(listResponse(all.length, { skip: 0 }, all)),
    );
    app.get(
      `/scim/v2/${name}/:id`,
      {
        config,
        schema: {
          ...tagged,
          summary: `Get one of the SCIM ${noun}`,
          description: 'RFC 7643 §6 and §7.',
          params: path,
          response: { 200: resource('The document', example), ...scimErrors(404) },
        },
      },
      async (request, reply) => {
        const document = all.find(({ id }) => id === request.params.id);
        if (!document) throw notFound();
        return reply.header('content-type', SCIM_TYPE).send(document);
      },
    );
  }

  for (const url of [
    'ServiceProviderConfig',
    ...Object.keys(documents).flatMap((name) => [name, `${name}/:id`]),
  ])
    app.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE'],
      url: `/scim/v2/${url}`,
      schema: { hide: true },
      config,
      handler: () => {
        throw readOnly();
      },
    });
};
