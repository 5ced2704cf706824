import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto';
import { connect } from '@gatehouse/shared/data/connect';
import { createSecrets } from '@gatehouse/shared/data/secrets';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import { allowInsecureRequests, authorizationCodeGrant, customFetch, discovery } from 'openid-client';
import { Agent, Pool } from 'undici';
import { providerFetch } from '../packages/sso/oidc/provider-fetch.ts';
import { COLLECTIONS, type Database } from '../services/user/database.ts';
import { send, sendJson } from '../test/fixtures/http.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { storeOrganization } from '../test/user/access/store-organization.ts';
import { createAccount, PERSON } from './account.ts';
import { startPeer } from './peer.ts';
import { compareSpeeds, processOf, speedOf } from './speed.ts';

/** Logins in one measurement, and parallel ones. */
const COUNT = 1_000;
const BROWSERS = 8;
const ROUNDS = 3;

const PUBLIC_URL = 'http://localhost:8000';
const CALLBACK = `${PUBLIC_URL}/oauth/callback`;
const JWT_SECRET = randomBytes(32).toString('hex');
const CLIENT_SECRET = 'a secret of the bench';

/**
 * Logins by OpenID Connect at the user service, relative to the library calls that each makes, and to these calls with
 * the three writes that no login can do without; and logins at a provider of social login, relative to them.
 */
export async function oidc(): Promise<void> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig', kid: 'bench' };
  const provider = await startPeer('oidc-provider', JSON.stringify(key));
  const logins = () => signedLogins(provider.url, privateKey);
  const gatehouse = await launch({
    env: {
      LOG_LEVEL: 'warn',
      PUBLIC_URL,
      JWT_SECRET,
      SOCIAL_PROVIDERS: 'bench',
      SOCIAL_BENCH_ISSUER: provider.url,
      SOCIAL_BENCH_CLIENT_ID: 'gatehouse',
      SOCIAL_BENCH_CLIENT_SECRET: CLIENT_SECRET,
    },
  });
  const agent = new Agent();
  try {
    await gatehouse.up;
    await createAccount(gatehouse.mongodb);
    const db = await connect(gatehouse.mongodb, COLLECTIONS, { appName: 'bench' });
    const connection_id = await storeConnection(db, provider.url);

    const client = await discovery(new URL(provider.url), 'gatehouse', CLIENT_SECRET, undefined, {
      execute: [allowInsecureRequests],
    });
    client[customFetch] = providerFetch({ agent }, AbortSignal.timeout(600_000));
    const keys = createLocalJWKSet((await send(`${provider.url}/jwks`)).body as JSONWebKeySet);
    const exchange = async ({ answer, state, nonce, code_verifier }: Login) => {
      const { id_token = '' } = await authorizationCodeGrant(client, new URL(`${CALLBACK}${answer}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: code_verifier,
      });
      await jwtVerify(id_token, keys, { issuer: provider.url, audience: 'gatehouse' });
    };
    const exchanging = async () => inParallel(process.pid, await logins(), exchange);
    const service = processOf(gatehouse.pid, 'user');

    const pool = new Pool(gatehouse.user, { connections: BROWSERS });
    const cookie = randomBytes(32).toString('base64url');
    const browser = createHash('sha256').update(cookie).digest('hex');
    const begin = async () => {
      const begun = await logins();
      const expires_at = new Date(Date.now() + 600_000);
      await db.ssoFlows.insertMany(
        begun.map(({ answer: _, ...flow }) => ({ ...flow, connection_id, browser, expires_at })),
      );
      return begun;
    };
    const exchangingAndWriting = async () =>
      inParallel(process.pid, await begin(), async (login) => {
        await db.ssoFlows.findOneAndDelete({ state: login.state });
        await exchange(login);
        await storeLogin(db, connection_id);
      });
    const beginSocial = async () => {
      const begun = await logins();
      const expires_at = new Date(Date.now() + 600_000);
      await db.socialFlows.insertMany(
        begun.map(({ answer: _, ...flow }) => ({ ...flow, provider: 'bench', browser, expires_at })),
      );
      return begun;
    };
    const answering = async (path: string, waiting: Login[]) =>
      inParallel(service, waiting, async ({ answer }) => {
        const { statusCode, body } = await pool.request({
          path: `${path}${answer}`,
          method: 'GET',
          headers: { cookie: `gatehouse-sso=${cookie}` },
        });
        const text = await body.text();
        if (statusCode !== 303) throw new Error(`${path} answered ${statusCode}: ${text}`);
      });
    const ours = 'GET /oauth/callback';
    const social = 'GET /social/{provider}/callback';
    await compareSpeeds('oidc', {
      rounds: ROUNDS,
      measures: {
        'the libraries alone': exchanging,
        'the libraries and three writes': exchangingAndWriting,
        [ours]: async () => answering('/oauth/callback', await begin()),
        [social]: async () => answering('/social/bench/callback', await beginSocial()),
      },
      ratios: [
        { of: ours, over: 'the libraries alone', goal: 0.7 },
        { of: ours, over: 'the libraries and three writes' },
        // At most 1.2 times the time of single sign-on.
        { of: social, over: ours, goal: 0.83 },
      ],
    });
    await Promise.all([pool.close(), db.close()]);
  } finally {
    await agent.close();
    provider.stop();
    await gatehouse.stop();
  }
}

interface Login {
  /** The query of the provider's answer. */
  answer: string;
  state: string;
  nonce: string;
  code_verifier: string;
}

/** Logins whose ID tokens the provider has. */
async function signedLogins(issuer: string, privateKey: CryptoKey): Promise<Login[]> {
  const codes: Record<string, string> = {};
  const logins = await Promise.all(
    Array.from({ length: COUNT }, async (_, index) => {
      const [state, nonce, code_verifier, code] = [1, 2, 3, 4].map(() =>
        randomBytes(32).toString('base64url'),
      ) as [string, string, string, string];
      codes[code] = await idToken(issuer, privateKey, { sub: `person-${index % 20}`, nonce });
      const answer = new URLSearchParams({ code, state, iss: issuer });
      return { answer: `?${answer}`, state, nonce, code_verifier };
    }),
  );
  await sendJson('POST', `${issuer}/codes`, codes);
  return logins;
}

const idToken = (issuer: string, privateKey: CryptoKey, { sub, nonce }: { sub: string; nonce: string }) =>
  new SignJWT({
    nonce,
    email: `${sub}@corp.example`,
    email_verified: true,
    firstName: 'Grace',
    lastName: 'Hopper',
    role: 'Viewer',
    department: 'Engineering',
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
    .setIssuer(issuer)
    .setAudience('gatehouse')
    .setSubject(sub)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey);

/** @param pid of the process that is measured. */
function inParallel(pid: number, waiting: Login[], logIn: (login: Login) => Promise<void>) {
  const count = waiting.length;
  const browser = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await logIn(next);
  };
  return speedOf(pid, count, () => Promise.all(Array.from({ length: BROWSERS }, browser)));
}

/** The session and the audit event, which every login must store, besides taking its flow. */
async function storeLogin(db: Database, connection_id: string): Promise<void> {
  const { user_id } = PERSON;
  const at = new Date();
  const sid = randomUUIDv7();
  await db.ssoSessions.insertOne({ connection_id, subject: 'bench', user_id, sid, expires_at: at });
  await db.auditEvents.insertOne({
    event_id: sid,
    at,
    action: 'sso.login',
    outcome: 'success',
    user_id,
    email: PERSON.email,
    target: { connection_id },
    before: null,
    after: null,
    organization_id: connection_id,
    department_id: null,
    address: '127.0.0.1',
    request_id: sid,
  });
}

async function storeConnection(db: Database, issuer: string): Promise<string> {
  const now = Date.now();
  const { organization } = await storeOrganization(db, {
    owners: [PERSON.user_id],
    departments: ['Engineering'],
    now,
  });
  const { organization_id } = organization;
  const at = new Date(now);
  await db.ssoDomains.insertOne({
    domain_id: randomUUIDv7(),
    organization_id,
    domain: 'corp.example',
    token: 'bench',
    verified_at: at,
    verified_domain: 'corp.example',
    sso_required: false,
    created_at: at,
  });
  const connection_id = randomUUIDv7();
  const client_secret = createSecrets({ JWT_SECRET }).seal(CLIENT_SECRET, connection_id);
  await db.ssoConnections.insertOne({
    connection_id,
    organization_id,
    slot: 1,
    protocol: 'oidc',
    slug: 'bench',
    name: 'Bench',
    enabled: true,
    attributes: {
      email: 'email',
      firstName: 'firstName',
      lastName: 'lastName',
      role: 'role',
      department: 'department',
    },
    default_role: 'Viewer',
    default_department_id: null,
    oidc: { issuer, client_id: 'gatehouse', client_secret },
    created_at: at,
    updated_at: at,
  });
  return connection_id;
}
