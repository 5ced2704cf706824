import { SCHEMAS } from './announced.ts';
import { MAX_OPERATIONS, MAX_PAYLOAD } from './bulk.ts';
import { path, resource, scim, scimErrors } from './contract.ts';
import { operation, type ScimDependencies } from './dependencies.ts';
import { notFound, SCIM_TYPE } from './errors.ts';
import { listResponse } from './list-query.ts';
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

const located = (
  { config }: Pick<ScimDependencies, 'config'>,
  document: Json,
  type: string,
  at: string,
): Json => ({
  ...document,
  meta: { resourceType: type, location: `${config.PUBLIC_URL}/scim/v2${at}` },
});

const readConfig = operation('GET /scim/v2/ServiceProviderConfig', {
  ...scim,
  summary: 'What the SCIM service supports',
  description: 'RFC 7643 §5.',
  returns: resource('The features', PROVIDER_CONFIG),
  responses: scimErrors(),
  handle: async (call) =>
    call.reply
      .header('content-type', SCIM_TYPE)
      .send(located(call, PROVIDER_CONFIG, 'ServiceProviderConfig', '/ServiceProviderConfig')),
});

const documents = [
  { name: 'ResourceTypes', noun: 'resource types', type: 'ResourceType', all: RESOURCE_TYPES as Json[] },
  { name: 'Schemas', noun: 'schemas', type: 'Schema', all: SCHEMAS },
] as const;

const EXAMPLE = {
  ...RESOURCE_TYPES[0],
  meta: {
    resourceType: 'ResourceType',
    location: 'https://accounts.example.com/scim/v2/ResourceTypes/User',
  },
};

const reads = documents.flatMap(({ name, noun, type, all }) => {
  const locatedAll = (call: Pick<ScimDependencies, 'config'>) =>
    all.map((each) => located(call, each, type, `/${name}/${String(each.id)}`));
  return [
    operation(`GET /scim/v2/${name}`, {
      ...scim,
      summary: `List the SCIM ${noun}`,
      description: 'RFC 7643 §6 and §7.',
      returns: resource(`All ${noun}`, listResponse(1, { skip: 0 }, [EXAMPLE])),
      responses: scimErrors(),
      handle: async (call) =>
        call.reply
          .header('content-type', SCIM_TYPE)
          .send(listResponse(all.length, { skip: 0 }, locatedAll(call))),
    }),
    operation(`GET /scim/v2/${name}/{id}`, {
      ...scim,
      summary: `Get one of the SCIM ${noun}`,
      description: 'RFC 7643 §6 and §7.',
      params: path,
      returns: resource('The document', EXAMPLE),
      responses: scimErrors(404),
      async handle(call) {
        const document = locatedAll(call).find(({ id }) => id === call.params.id);
        if (!document) throw notFound();
        return call.reply.header('content-type', SCIM_TYPE).send(document);
      },
    }),
  ];
});

/** The documents that describe the service (RFC 7644 §4). */
export const discovery = [readConfig, ...reads];
