import { randomBytes, randomUUID, randomUUIDv7 } from 'node:crypto';
import { connect } from '@gatehouse/shared/data/connect';
import { createSecrets } from '@gatehouse/shared/data/secrets';
import { SAML } from '@node-saml/node-saml';
import { Pool } from 'undici';
import { entityIdOf } from '../packages/sso/saml/service-provider.ts';
import { createSpKey } from '../packages/sso/saml/sp-key.ts';
import { COLLECTIONS, type Database } from '../services/user/database.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { createSamlProvider, type SamlProvider, toBase64 } from '../test/fixtures/saml-provider.ts';
import { storeOrganization } from '../test/user/access/store-organization.ts';
import { createAccount, PERSON } from './account.ts';
import { compareSpeeds, processOf, speedOf } from './speed.ts';

/** Responses in one measurement, and parallel posts. */
const COUNT = 300;
const BROWSERS = 8;
const ROUNDS = 3;

const PUBLIC_URL = 'http://localhost:8000';
const JWT_SECRET = randomBytes(32).toString('hex');
const AUDIENCE = entityIdOf({ PUBLIC_URL }, 'bench');
const ACS_URL = `${PUBLIC_URL}/saml/acs`;

/** Logins by SAML at the user service, relative to the library that verifies the same responses. */
export async function saml(): Promise<void> {
  const provider = await createSamlProvider();
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn', PUBLIC_URL, JWT_SECRET } });
  try {
    await gatehouse.up;
    await createAccount(gatehouse.mongodb);
    const db = await connect(gatehouse.mongodb, COLLECTIONS, { appName: 'bench' });
    await storeConnection(db, provider);
    await db.close();

    const library = new SAML({
      issuer: AUDIENCE,
      callbackUrl: ACS_URL,
      idpCert: provider.key.certificate,
      wantAuthnResponseSigned: true,
      wantAssertionsSigned: true,
    });
    const verifying = () => {
      const responses = signedResponses(provider);
      return speedOf(process.pid, COUNT, async () => {
        for (const SAMLResponse of responses) await library.validatePostResponseAsync({ SAMLResponse });
      });
    };
    const service = processOf(gatehouse.pid, 'user');
    const pool = new Pool(gatehouse.user, { connections: BROWSERS });
    const loggingIn = () => {
      const waiting = signedResponses(provider);
      const browser = async () => {
        for (let next = waiting.pop(); next; next = waiting.pop()) await logIn(pool, next);
      };
      return speedOf(service, COUNT, () => Promise.all(Array.from({ length: BROWSERS }, browser)));
    };
    await compareSpeeds('saml', {
      rounds: ROUNDS,
      measures: { 'the library alone': verifying, 'POST /saml/acs': loggingIn },
      ratios: [{ of: 'POST /saml/acs', over: 'the library alone', goal: 0.7 }],
    });
    await pool.close();
  } finally {
    await gatehouse.stop();
  }
}

/**
 * Responses whose assertions are signed as well, as our metadata ask for. Logins that begin at the provider need no
 * request each.
 */
const signedResponses = (provider: SamlProvider): string[] =>
  Array.from({ length: COUNT }, (_, index) => {
    const fields = {
      ...provider.fields({
        audience: AUDIENCE,
        recipient: ACS_URL,
        inResponseTo: undefined,
        now: Date.now(),
      }),
      assertionId: `_${randomUUID()}`,
      nameId: `person-${index % 20}`,
      attributes: { email: `person-${index % 20}@corp.example`, firstName: 'Grace', lastName: 'Hopper' },
    };
    return toBase64(provider.sign(provider.response(fields, provider.sign(provider.assertion(fields)))));
  });

async function logIn(pool: Pool, SAMLResponse: string): Promise<void> {
  const { statusCode, body } = await pool.request({
    path: '/saml/acs',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ SAMLResponse }).toString(),
  });
  const text = await body.text();
  if (statusCode !== 303) throw new Error(`/saml/acs answered ${statusCode}: ${text}`);
}

async function storeConnection(db: Database, provider: SamlProvider): Promise<void> {
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
  const { privateKey, certificate } = await createSpKey('bench');
  const sealed = createSecrets({ JWT_SECRET }).seal(privateKey, connection_id);
  await db.ssoConnections.insertOne({
    connection_id,
    organization_id,
    slot: 1,
    protocol: 'saml',
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
    saml: {
      idp_entity_id: provider.entityId,
      sso_url: provider.ssoUrl,
      slo_url: null,
      certificates: [provider.key.certificate],
      sign_requests: false,
      idp_initiated: true,
      sp_private_key: sealed,
      sp_certificate: certificate,
    },
    created_at: at,
    updated_at: at,
  });
}
