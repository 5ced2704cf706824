import { failures } from '@gatehouse/shared/http/errors';
import { z } from 'zod';
import { ERROR_SCHEMA, renderScimFailure } from './errors.ts';
import { USER_SCHEMA } from './schemas.ts';

/** The options that the operations of SCIM share. Errors follow RFC 7644. */
export const scim = {
  needs: 'SCIM token',
  consumes: ['application/scim+json', 'application/json'],
  produces: ['application/scim+json'],
  config: { renderFailure: renderScimFailure },
} as const;

const TEXTS: Record<number, [description: string, detail: string]> = {
  400: ['The request is malformed', 'userName is required'],
  401: [
    'The token is missing, unknown, revoked or of a disabled connection',
    'The request has no bearer token',
  ],
  403: ['Not allowed', 'The organization has not verified the domain example.com'],
  404: ['No such resource at this connection', 'There is no such resource'],
  409: ['The userName or displayName is taken', 'There is a user with this userName'],
  412: ['The resource has another version', 'The resource has changed; read it again and repeat the request'],
  413: ['The request is too large', 'The request is too large'],
  503: ['The service is unavailable; try again', 'Service unavailable'],
};

/** The response for each SCIM error. */
const ERRORS = Object.fromEntries(
  Object.entries(TEXTS).map(([status, [description, detail]]) => [
    status,
    z
      .object({
        schemas: z.array(z.string()),
        status: z.string(),
        scimType: z.string().optional(),
        detail: z.string(),
      })
      .meta({ description, examples: [{ schemas: [ERROR_SCHEMA], status, detail }] }),
  ]),
);

/** The responses for SCIM errors of these statuses. The gateway may answer 429 in its own shape. */
export const scimErrors = (...statuses: number[]): Record<number, z.ZodType> => ({
  ...failures('catalogue', 'rateLimited'),
  ...Object.fromEntries([400, 401, 403, 413, 503, ...statuses].map((status) => [status, ERRORS[status]])),
});

export const resource = (description: string, example: object) =>
  z.looseObject({}).meta({ description, examples: [example] });

export const path = z.object({ id: z.string().meta({ examples: ['01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21'] }) });

const projected = {
  attributes: z.unknown().optional().meta({ description: 'The attributes to return, separated by commas' }),
  excludedAttributes: z.unknown().optional().meta({ description: 'The attributes to leave out' }),
};

export const projection = z.looseObject(projected);

export const listQuery = z.looseObject({
  filter: z.unknown().optional().meta({ description: 'A filter, such as userName eq "ada@corp.example"' }),
  sortBy: z.unknown().optional(),
  sortOrder: z.unknown().optional().meta({ description: 'ascending or descending' }),
  startIndex: z.unknown().optional().meta({ description: 'The number of the first resource, from 1' }),
  count: z.unknown().optional().meta({ description: 'At most 500; 100 by default' }),
  ...projected,
});

export const EXAMPLE_USER = {
  schemas: [USER_SCHEMA],
  id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
  externalId: '00u1a2b3c4',
  userName: 'ada@corp.example',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: 'ada@corp.example', type: 'work', primary: true }],
  active: true,
  meta: {
    resourceType: 'User',
    created: '2026-01-15T09:30:00.000Z',
    lastModified: '2026-01-15T09:30:00.000Z',
    location: 'https://accounts.example.com/scim/v2/Users/01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
    version: 'W/"1"',
  },
};
const { id: _, meta: __, ...newUser } = EXAMPLE_USER;
export const NEW_USER = newUser;

export const EXAMPLE_GROUP = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
  id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d22',
  displayName: 'Engineering',
  members: [{ value: EXAMPLE_USER.id, display: 'ada@corp.example', type: 'User' }],
  meta: { ...EXAMPLE_USER.meta, resourceType: 'Group' },
};
export const NEW_GROUP = {
  schemas: EXAMPLE_GROUP.schemas,
  displayName: 'Engineering',
  members: [{ value: EXAMPLE_USER.id }],
};
