import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';
import { messagePage, readForm, sendPage } from '../pages.ts';
import type { SigningKey } from '../signing-key.ts';
import { type Authorization, authorize, type Grant, isVerified } from './authorization.ts';
import { sendJson } from './send-json.ts';
import { createTickets } from './tickets.ts';

/** Seconds. */
const TOKEN_LIFETIME = 3_600;

type Claims = Record<string, unknown>;

/** How one OpenID provider differs from the others. */
export interface OpenIdServerOptions extends Omit<Authorization, 'issueCode'> {
  /** The prefix of every address. */
  base: string;
  /** In the discovery document, which may have a template in it. */
  issuer: string;
  /** Below `base`. */
  paths: { authorization: string; token: string; keys: string; userinfo?: string };
  /** The rest of the discovery document. */
  metadata: object;
  /** Authenticates the client at the token endpoint. */
  authenticates(clientId: string, secret: string): boolean | Promise<boolean>;
  /** Describes the person in the ID token, with `iss` and `sub`. */
  claims(grant: Grant): Claims & { sub: string };
  /** The claims that userinfo repeats. */
  userinfoClaims?: string[];
}

/** An OpenID provider below an address, with the authorization code flow only. */
export function createOpenIdServer(options: OpenIdServerOptions, key: SigningKey) {
  const { base, issuer, paths, metadata, switches } = options;
  const codes = createTickets<Grant>();
  const accessTokens = createTickets<Grant>();
  const privateKey = createPrivateKey(key.privateKey);
  const publicKey = exportJWK(createPublicKey(key.privateKey)).then(async (jwk) => ({
    ...jwk,
    kid: await calculateJwkThumbprint(jwk),
    alg: 'RS256',
    use: 'sig',
  }));

  const document = {
    issuer,
    authorization_endpoint: base + paths.authorization,
    token_endpoint: base + paths.token,
    jwks_uri: base + paths.keys,
    ...(paths.userinfo && { userinfo_endpoint: base + paths.userinfo }),
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['RS256'],
    ...metadata,
  };

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await readForm(request);
    const fail = (error: string, error_description: string): void =>
      sendJson(response, { error, error_description }, 400);
    const { id, secret } = clientOf(request, form);
    if (id !== options.client.id || !(await options.authenticates(id, secret)))
      return fail('invalid_client', 'The client is unknown or its secret is wrong.');
    if (form.grant_type !== 'authorization_code')
      return fail('unsupported_grant_type', 'The only grant_type is authorization_code.');
    const grant = codes.take(form.code ?? '');
    if (!grant || switches.has('token-error') || form.redirect_uri !== options.client.redirectUri)
      return fail('invalid_grant', 'The code is unknown, used, expired or of another redirect_uri.');
    if (!isVerified(grant, form.code_verifier))
      return fail('invalid_grant', 'The code_verifier does not fit the code_challenge.');
    sendJson(response, {
      access_token: accessTokens.issue(grant),
      token_type: 'Bearer',
      expires_in: TOKEN_LIFETIME,
      scope: grant.scope.join(' '),
      id_token: await idToken(grant),
    });
  }

  async function idToken(grant: Grant): Promise<string> {
    const { alg, kid } = await publicKey;
    const { nonce } = grant;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      aud: options.client.id,
      iat: now,
      exp: now + TOKEN_LIFETIME,
      ...(nonce && { nonce }),
      ...options.claims(grant),
    };
    return new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'JWT' }).sign(privateKey);
  }

  function userinfo(request: IncomingMessage, response: ServerResponse) {
    const grant = accessTokens.find((request.headers.authorization ?? '').replace(/^Bearer /, ''));
    if (!grant) return sendJson(response, { error: 'invalid_token' }, 401);
    const claims = options.claims(grant);
    const names = ['sub', ...(options.userinfoClaims ?? [])].filter((name) => claims[name] !== undefined);
    sendJson(response, Object.fromEntries(names.map((name) => [name, claims[name]])));
  }

  const issueCode = (grant: Grant): string => codes.issue(grant);
  return async (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (path === paths.authorization) return authorize({ ...options, issueCode }, request, response);
    if (path === '/.well-known/openid-configuration') return sendJson(response, document);
    if (path === paths.keys) return sendJson(response, { keys: [await publicKey] });
    if (path === paths.token && request.method === 'POST') return exchange(request, response);
    if (path === paths.userinfo) return userinfo(request, response);
    sendPage(response, messagePage('There is no such page.'), 404);
  };
}

/** Reads client_secret_basic or client_secret_post (RFC 6749 §2.3.1). */
function clientOf({ headers }: IncomingMessage, form: Record<string, string>) {
  const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (basic === undefined) return { id: form.client_id ?? '', secret: form.client_secret ?? '' };
  const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
  return { id, secret };
}
