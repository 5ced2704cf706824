import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { Clock } from '../../fixtures/clock.ts';

export const CLIENT_ID = 'gatehouse';
export const CLIENT_SECRET = 'a secret that the provider shares with the service';

/** Someone whom the provider knows. */
export const ADA = {
  sub: 'ada',
  email: 'ada@corp.example',
  email_verified: true as unknown,
  firstName: 'Ada',
  lastName: 'Lovelace',
  role: 'Editor',
  department: 'Engineering',
};

type Json = Record<string, unknown>;
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** What a test changes of an honest provider. */
export interface Lies {
  /** Changes the discovery document. */
  discovery?: (document: Json) => Json;
  /** Changes the claims of the ID token before it is signed. */
  claims?: (claims: JWTPayload) => JWTPayload;
  /** Signs the ID token. */
  sign?: (claims: JWTPayload) => Promise<string> | string;
  /** The body of userinfo. */
  userInfo?: Json;
  /** Signs userinfo, with claims that an honest provider adds. */
  signUserInfo?: (claims: JWTPayload) => Promise<string> | string;
  /** Changes the query of the answer to the browser. */
  answer?: (parameters: Record<string, string>) => Record<string, string>;
  /** Changes the parameters that arrive at the token endpoint before they are checked. */
  tokenRequest?: (parameters: Record<string, string>) => Record<string, string>;
  /** Changes the answer to a refresh token. */
  refreshed?: (answer: Json) => Json;
  /** Answers the requests of a path instead. */
  paths?: Record<string, Answer>;
}

export const sendJson = (response: ServerResponse, body: unknown, status = 200) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Creates a signing key with its public half. */
export async function newKey(alg: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomBytes(6).toString('hex');
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  const sign = (claims: JWTPayload, header: Json = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
  return { jwk, sign, publicKey };
}

/** Keys take long to make, so that all providers share one. */
const sharedKey = newKey('RS256');

/** Starts an OpenID Connect provider of our own, in which a test can change one thing through `lies`. */
export async function startProvider(clock: Clock, { alg }: { alg?: string } = {}) {
  const key = await (alg ? newKey(alg) : sharedKey);
  const provider = {
    issuer: '',
    key,
    keys: [key.jwk],
    lies: {} as Lies,
    /** Who is logged in at the provider. */
    person: ADA as Json,
    /** The paths that were called, in order. */
    calls: [] as string[],
    /** The forms that arrived at the token endpoint. */
    tokenRequests: [] as Record<string, string>[],
    /** The headers that arrived at the token endpoint. */
    authorizations: [] as (string | undefined)[],
    reset() {
      provider.lies = {};
      provider.keys = [key.jwk];
      provider.person = ADA;
      provider.calls = [];
      provider.tokenRequests = [];
      provider.authorizations = [];
    },
    /** Offers refresh tokens, as many providers do. */
    offerOfflineAccess() {
      provider.lies.discovery = (document) => ({
        ...document,
        scopes_supported: ['openid', 'email', 'profile', 'offline_access'],
      });
    },
    /** Answers with the discovery document of a provider with many tenants. */
    ofAllTenants: (() => {}) as Answer,
    revokeRefreshTokens: () => refreshTokens.clear(),
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
  const codes = new Map<string, Record<string, string>>();
  /** The refresh tokens that were given, each with whether it was used: a second use revokes all of them. */
  const refreshTokens = new Map<string, boolean>();
  const newRefreshToken = () => {
    const token = randomBytes(16).toString('hex');
    refreshTokens.set(token, false);
    return token;
  };
  const refuseToken = (response: ServerResponse) =>
    sendJson(response, { error: 'invalid_grant', error_description: 'the refresh token is revoked' }, 400);
  const useRefreshToken = (response: ServerResponse, token: string) => {
    if (refreshTokens.get(token) !== false) {
      refreshTokens.clear();
      return refuseToken(response);
    }
    refreshTokens.set(token, true);
    const refresh_token = newRefreshToken();
    const answer = { access_token: 'access', token_type: 'Bearer', expires_in: 300, refresh_token };
    sendJson(response, provider.lies.refreshed?.(answer) ?? answer);
  };

  const documentOf = (): Json => ({
    issuer: provider.issuer,
    authorization_endpoint: `${provider.issuer}/auth`,
    token_endpoint: `${provider.issuer}/token`,
    userinfo_endpoint: `${provider.issuer}/userinfo`,
    jwks_uri: `${provider.issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [key.jwk.alg, 'HS256', 'none'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    authorization_response_iss_parameter_supported: true,
  });
  const paths: Record<string, Answer> = {
    '/.well-known/openid-configuration': (_request, response) => {
      const document = documentOf();
      sendJson(response, provider.lies.discovery?.(document) ?? document);
    },
    '/jwks': (_request, response) => sendJson(response, { keys: provider.keys }),
    '/auth': (request, response) => {
      const asked = queryOf(request);
      const code = randomBytes(16).toString('hex');
      codes.set(code, asked);
      const answered = { code, state: asked.state ?? '', iss: provider.issuer };
      const target = new URL(String(asked.redirect_uri));
      target.search = new URLSearchParams(provider.lies.answer?.(answered) ?? answered).toString();
      response.writeHead(302, { location: target.href }).end();
    },
    '/token': async (request, response) => {
      const sent = Object.fromEntries(new URLSearchParams(await textOf(request)));
      provider.tokenRequests.push(sent);
      provider.authorizations.push(request.headers.authorization);
      if (sent.grant_type === 'refresh_token') return useRefreshToken(response, String(sent.refresh_token));
      const { code = '', code_verifier = '', redirect_uri } = provider.lies.tokenRequest?.(sent) ?? sent;
      const asked = codes.get(code);
      codes.delete(code);
      const challenge = createHash('sha256').update(code_verifier).digest('base64url');
      if (asked?.code_challenge !== challenge || asked.redirect_uri !== redirect_uri)
        return sendJson(response, { error: 'invalid_grant', error_description: 'the code is wrong' }, 400);
      const honest: JWTPayload = {
        ...provider.person,
        iss: provider.issuer,
        aud: CLIENT_ID,
        iat: clock.seconds(),
        exp: clock.seconds() + 300,
        sid: 'session-1',
        ...(asked.nonce && { nonce: asked.nonce }),
      };
      const claims = provider.lies.claims?.(honest) ?? honest;
      const id_token = await (provider.lies.sign ?? provider.key.sign)(claims);
      const offline = asked.scope?.split(' ').includes('offline_access');
      const refresh_token = offline ? { refresh_token: newRefreshToken() } : {};
      sendJson(response, {
        access_token: 'access',
        token_type: 'Bearer',
        expires_in: 300,
        id_token,
        ...refresh_token,
      });
    },
    '/userinfo': async (_request, response) => {
      const { userInfo = provider.person, signUserInfo } = provider.lies;
      if (!signUserInfo) return sendJson(response, userInfo);
      const signed = await signUserInfo({ ...userInfo, iss: provider.issuer, aud: CLIENT_ID });
      response.writeHead(200, { 'content-type': 'application/jwt' }).end(signed);
    },
  };
  provider.ofAllTenants = (_request, response) =>
    sendJson(response, {
      ...documentOf(),
      issuer: `${provider.issuer}/{tenantid}/v2.0`,
      authorization_response_iss_parameter_supported: false,
    });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://provider');
    provider.calls.push(pathname);
    const answer = provider.lies.paths?.[pathname] ?? paths[pathname];
    if (!answer) return void response.writeHead(404).end();
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}

export type Provider = Awaited<ReturnType<typeof startProvider>>;

const queryOf = ({ url = '/' }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(new URL(url, 'http://provider').searchParams);

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
