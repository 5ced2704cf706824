import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SigningKey } from '../signing-key.ts';
import type { Grant } from './authorization.ts';
import { identityOf, uuidOf } from './identity.ts';
import { createOpenIdServer } from './openid.ts';
import type { ProviderOptions } from './provider-options.ts';

const CLIENT_ID = '6731de76-14a6-49ae-97bc-6eba6914391e';
const CLIENT_SECRET = 'practice~client~secret';

/** The tenant of the people. */
const PRACTICE_TENANT = 'b6a1f2b0-5c1e-4a2e-9a55-0d5f1c0a7e11';
/** The tenant of all personal accounts, which has this id at Microsoft too. */
const PERSONAL_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

/** The tenants in an authority's path, and what its discovery document has in the issuer. */
const AUTHORITIES: Record<string, string> = {
  common: '{tenantid}',
  organizations: '{tenantid}',
  consumers: PERSONAL_TENANT,
  [PERSONAL_TENANT]: PERSONAL_TENANT,
  [PRACTICE_TENANT]: PRACTICE_TENANT,
};

/** Microsoft (https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc). */
export function createMicrosoft({ base, redirectUri, staff, switches }: ProviderOptions, key: SigningKey) {
  const claims = ({ person, scope }: Grant) => {
    const { seed, email, isVerified, firstName, lastName } = identityOf(person, switches);
    const tid = switches.has('personal') ? PERSONAL_TENANT : PRACTICE_TENANT;
    return {
      iss: `${base}/${tid}/v2.0`,
      ver: '2.0',
      tid,
      oid: uuidOf(seed),
      sub: seed.toString('base64url'),
      ...(scope.includes('email') && email && { email, xms_edov: isVerified }),
      ...(scope.includes('profile') && {
        name: `${firstName} ${lastName}`,
        given_name: firstName,
        family_name: lastName,
        preferred_username: email ?? `${person.uid}@practice.onmicrosoft.test`,
      }),
    };
  };
  const serverOf = ([tenant, issuer]: [string, string]) => {
    const authority = `${base}/${tenant}`;
    const server = createOpenIdServer(
      {
        provider: 'Microsoft',
        base: authority,
        issuer: `${base}/${issuer}/v2.0`,
        client: { id: CLIENT_ID, redirectUri },
        staff,
        switches,
        paths: {
          authorization: '/oauth2/v2.0/authorize',
          token: '/oauth2/v2.0/token',
          keys: '/discovery/v2.0/keys',
          userinfo: '/oidc/userinfo',
        },
        metadata: {
          response_modes_supported: ['query', 'fragment', 'form_post'],
          subject_types_supported: ['pairwise'],
          scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
          token_endpoint_auth_methods_supported: [
            'client_secret_post',
            'private_key_jwt',
            'client_secret_basic',
          ],
        },
        faultOf: (parameters) =>
          parameters.get('response_type') === 'code' ? undefined : 'AADSTS900144: response_type',
        refusal: {
          error: 'access_denied',
          error_subcode: 'cancel',
          error_description: 'The user has denied access to the scope requested by the client application.',
        },
        answer: ({ person }) => ({ session_state: uuidOf(identityOf(person, switches).seed) }),
        authenticates: (_id, secret) => secret === CLIENT_SECRET,
        claims,
        userinfoClaims: ['name', 'given_name', 'family_name', 'email'],
      },
      key,
    );
    return [tenant, server] as const;
  };
  const servers = new Map(Object.entries(AUTHORITIES).map(serverOf));
  const listener = async (path: string, request: IncomingMessage, response: ServerResponse) => {
    const [, tenant = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(path) ?? [];
    const server = servers.get(tenant) ?? servers.get('common');
    await server?.(rest.replace('/v2.0/.well-known', '/.well-known'), request, response);
  };
  return { listener, settings: { ISSUER: `${base}/common/v2.0`, CLIENT_ID, CLIENT_SECRET } };
}
