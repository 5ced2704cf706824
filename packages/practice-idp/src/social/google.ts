import type { SigningKey } from '../signing-key.ts';
import { identityOf } from './identity.ts';
import { createOpenIdServer } from './openid.ts';
import type { ProviderOptions } from './provider-options.ts';

const CLIENT_ID = '1234567890-practice.apps.googleusercontent.com';
const CLIENT_SECRET = 'GOCSPX-practice';

/** The domain of the Workspace in which the people are. */
const WORKSPACE = 'practice.test';

/** Google (https://developers.google.com/identity/openid-connect/openid-connect). */
export function createGoogle({ base, redirectUri, staff, switches }: ProviderOptions, key: SigningKey) {
  const isWorkspace = () => !switches.has('personal');
  const listener = createOpenIdServer(
    {
      provider: 'Google',
      base,
      issuer: base,
      client: { id: CLIENT_ID, redirectUri },
      staff,
      switches,
      paths: {
        authorization: '/o/oauth2/v2/auth',
        token: '/token',
        keys: '/oauth2/v3/certs',
        userinfo: '/v1/userinfo',
      },
      metadata: {
        response_types_supported: ['code', 'token', 'id_token', 'code token', 'code id_token', 'none'],
        subject_types_supported: ['public'],
        scopes_supported: ['openid', 'email', 'profile'],
        token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
        code_challenge_methods_supported: ['plain', 'S256'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
      },
      faultOf: (parameters) =>
        parameters.get('response_type') === 'code' ? undefined : 'invalid_request: response_type',
      refusal: { error: 'access_denied', iss: base },
      // Its metadata does not announce `iss` (RFC 9207).
      answer: ({ scope }) => ({
        iss: base,
        scope: scope.join(' '),
        authuser: '0',
        ...(isWorkspace() && { hd: WORKSPACE }),
        prompt: 'consent',
      }),
      authenticates: (_id, secret) => secret === CLIENT_SECRET,
      claims({ person, scope }) {
        const { seed, email, isVerified, firstName, lastName } = identityOf(person, switches);
        return {
          iss: base,
          azp: CLIENT_ID,
          sub: String(seed.readBigUInt64BE()).padStart(20, '0').padStart(21, '1'),
          ...(isWorkspace() && { hd: WORKSPACE }),
          ...(scope.includes('email') && email && { email, email_verified: isVerified }),
          ...(scope.includes('profile') && {
            name: `${firstName} ${lastName}`,
            picture: 'https://lh3.googleusercontent.com/a/practice=s96-c',
            given_name: firstName,
            family_name: lastName,
          }),
        };
      },
      userinfoClaims: ['name', 'given_name', 'family_name', 'picture', 'email', 'email_verified', 'hd'],
    },
    key,
  );
  return { listener, settings: { ISSUER: base, CLIENT_ID, CLIENT_SECRET } };
}
