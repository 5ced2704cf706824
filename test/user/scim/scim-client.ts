import { createHash } from 'node:crypto';
import type { Connection } from '@gatehouse/sso/connection-records';
import { type Answered, send } from '../../fixtures/http.ts';
import type { SsoService } from '../../sso/sso-service.ts';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

let tokens = 0;

/** Stores a connection with a SCIM token. @returns what calls SCIM with it. */
export async function newClient(
  service: SsoService,
  organization: { organization_id: string },
  fields: Partial<Connection> = {},
) {
  tokens += 1;
  const token = `scim_token_${tokens}`;
  const connection = await service.newConnection(organization, {
    protocol: 'oidc',
    scim_token: createHash('sha256').update(token).digest('hex'),
    ...fields,
  });
  return { connection, ...clientOf(service.url, token) };
}

export function clientOf(url: string, token: string) {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered> => {
    const answer = await send(`${url}/scim/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const isScim = answer.headers.get('content-type')?.startsWith('application/scim+json');
    return isScim ? { ...answer, body: JSON.parse(answer.body) } : answer;
  };
  return {
    token,
    call,
    /** Creates a user at corp.example. */
    create: (name: string, fields: object = {}) => call('POST', '/Users', person(name, fields)),
    patch: (path: string, Operations: unknown, headers?: Record<string, string>) =>
      call(
        'PATCH',
        path,
        { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations },
        headers,
      ),
    filter: (type: 'Users' | 'Groups', filter: string) =>
      call('GET', `/${type}?filter=${encodeURIComponent(filter)}`),
  };
}

export type Client = Awaited<ReturnType<typeof newClient>>;

/** A user as Okta sends it. */
export const person = (name: string, fields: object = {}) => ({
  schemas: [USER],
  userName: `${name}@corp.example`,
  name: { givenName: name, familyName: 'Hopper' },
  emails: [{ primary: true, value: `${name}@corp.example`, type: 'work' }],
  displayName: `${name} Hopper`,
  externalId: `okta-${name}`,
  active: true,
  ...fields,
});

/** The body of a SCIM error. */
export const scimError = (status: number, detail: unknown, scimType?: string) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType && { scimType }),
  detail,
});
