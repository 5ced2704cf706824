import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { createCertificate } from '../../fixtures/certificates.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { startHttp } from '../../fixtures/gateway.ts';
import { concurrently, NOWHERE, UUID } from '../../user/organizations/organization-service.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';
import { idpMetadata, ldap, newCertificates } from './samples.ts';

type Organization = Awaited<ReturnType<SsoService['newOrganization']>>;

let service: SsoService;
let corp: Organization;
let pem: string;
let nextPem: string;
/** Answers of the provider, by path. */
const documents = new Map<string, (base: string) => { status?: number; location?: string; body: string }>();
let provider: Awaited<ReturnType<typeof startHttp>>;

beforeAll(async () => {
  service = await startSsoService();
  [pem, nextPem] = await newCertificates(service.clock);
  provider = await startHttp((request, response) => {
    const document = documents.get(request.url ?? '');
    const { status = 200, location, body } = document?.(provider.url) ?? { status: 404, body: '' };
    response.writeHead(status, location === undefined ? {} : { location }).end(body);
  });
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});
let organizations = 0;
beforeEach(async () => {
  organizations += 1;
  corp = await service.newOrganization({ domain: `corp${organizations}.example` });
  documents.clear();
  documents.set('/metadata', () => ({ body: idpMetadata(pem) }));
  documents.set('/.well-known/openid-configuration', (base) => ({ body: discovery(base) }));
});

const wantsSigned = (metadata: string) =>
  metadata.replace('<IDPSSODescriptor ', '<IDPSSODescriptor WantAuthnRequestsSigned="true" ');

const discovery = (base: string, fields: object = {}) =>
  JSON.stringify({
    issuer: base,
    authorization_endpoint: `${base}/auth`,
    token_endpoint: `${base}/token`,
    jwks_uri: `${base}/jwks`,
    authorization_response_iss_parameter_supported: true,
    ...fields,
  });

let slugs = 0;
const saml = (fields: object = {}) => ({
  organization_id: corp.organization_id,
  protocol: 'saml',
  slug: `saml-${++slugs}`,
  name: 'Corp',
  saml: { metadata_xml: idpMetadata(pem) },
  ...fields,
});
const oidc = (fields: object = {}, common: object = {}) => ({
  organization_id: corp.organization_id,
  protocol: 'oidc',
  slug: `oidc-${++slugs}`,
  name: 'Corp',
  oidc: { issuer: provider.url, client_id: 'gatehouse', client_secret: 'the secret', ...fields },
  ...common,
});
const directory = (fields: object = {}) => ({
  organization_id: corp.organization_id,
  protocol: 'ldap',
  slug: `ldap-${++slugs}`,
  name: 'Corp',
  ldap: { ...ldap, ...fields },
});
const create = (body: unknown, caller = corp.owner) => caller.call('POST', '/api/v1/sso/connections', body);
const stored = (connection_id: string) => service.db.ssoConnections.findOne({ connection_id });
const count = () => service.db.ssoConnections.countDocuments({ organization_id: corp.organization_id });

describe('POST /api/v1/sso/connections', () => {
  test('connects a SAML provider from its metadata', async () => {
    const body = saml({ slug: 'corp-saml', preset: 'entra', attributes: { department: 'dept' } });
    const answer = await create(body);
    const at = new Date(service.clock.now()).toISOString();
    expect(outcome(answer)).toStrictEqual({
      status: 201,
      body: {
        connection_id: UUID,
        organization_id: corp.organization_id,
        protocol: 'saml',
        slug: 'corp-saml',
        name: 'Corp',
        enabled: true,
        attributes: {
          email: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
          firstName: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
          lastName: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
          role: 'http://schemas.microsoft.com/ws/2008/06/identity/claims/role',
          department: 'dept',
        },
        group_roles: [],
        default_role: 'Viewer',
        default_department_id: null,
        saml: {
          idp_entity_id: 'https://idp.example/metadata',
          sso_url: 'https://idp.example/sso',
          slo_url: 'https://idp.example/slo',
          certificates: [pem],
          metadata_url: null,
          sign_requests: false,
          idp_initiated: false,
          sp_certificate: expect.stringMatching(/^-----BEGIN CERTIFICATE-----/),
          next_sp_certificate: null,
          previous_sp_certificate: null,
        },
        has_scim_token: false,
        addresses: {
          login_url: 'http://localhost:8000/saml/login/corp-saml',
          scim_base_url: 'http://localhost:8000/scim/v2',
          acs_url: 'http://localhost:8000/saml/acs',
          entity_id: 'http://localhost:8000/saml/metadata/corp-saml',
          metadata_url: 'http://localhost:8000/saml/metadata/corp-saml',
          single_logout_url: 'http://localhost:8000/saml/slo/corp-saml',
        },
        created_at: at,
        updated_at: at,
      },
    });
  });

  test('seals the key of the SAML service provider', async () => {
    const { body } = await create(saml());
    const connection = await stored(body.connection_id);
    const sealed = String(connection?.saml?.sp_private_key);
    expect(sealed).not.toContain('PRIVATE KEY');
    expect(service.secrets.open(sealed, body.connection_id)).toContain('PRIVATE KEY');
    expect(JSON.stringify(body)).not.toContain('PRIVATE');
  });

  test('reads SAML metadata from a URL', async () => {
    const metadata_url = `${provider.url}/metadata`;
    const { status, body } = await create(saml({ saml: { metadata_url, sign_requests: true } }));
    expect({ status, saml: body.saml }).toMatchObject({
      status: 201,
      saml: { metadata_url, sign_requests: true, certificates: [pem], sso_url: 'https://idp.example/sso' },
    });
  });

  test.each<[string, () => object, boolean]>([
    ['the metadata want it', () => ({ saml: { metadata_xml: wantsSigned(idpMetadata(pem)) } }), true],
    ['the preset is keycloak', () => ({ preset: 'keycloak' }), true],
    ['the preset is okta', () => ({ preset: 'okta' }), false],
    [
      'the caller decides against both',
      () => ({
        preset: 'keycloak',
        saml: { metadata_xml: wantsSigned(idpMetadata(pem)), sign_requests: false },
      }),
      false,
    ],
  ])('decides whether requests are signed when %s', async (_when, fields, signs) => {
    const { status, body } = await create(saml(fields()));
    expect([status, body.saml.sign_requests]).toEqual([201, signs]);
  });

  test('leaves expired certificates of SAML metadata out', async () => {
    const expired = await createCertificate({ now: service.clock.now(), days: -1 });
    const { status, body } = await create(
      saml({ saml: { metadata_xml: idpMetadata(expired.certificate, pem) } }),
    );
    expect([status, body.saml.certificates]).toEqual([201, [pem]]);
  });

  test('accepts the details of a SAML provider, with several certificates', async () => {
    const details = {
      idp_entity_id: 'urn:corp:idp',
      sso_url: 'https://adfs.corp.internal/sso',
      certificates: [pem, nextPem, pem],
    };
    const { status, body } = await create(saml({ saml: details }));
    expect({ status, saml: body.saml }).toMatchObject({
      status: 201,
      saml: { ...details, certificates: [pem, nextPem], slo_url: null },
    });
  });

  test('connects an OpenID Connect provider and seals its secret', async () => {
    const answer = await create(oidc({}, { slug: 'corp-oidc', enabled: false, default_role: 'Editor' }));
    expect(outcome(answer)).toMatchObject({
      status: 201,
      body: {
        enabled: false,
        default_role: 'Editor',
        attributes: { email: 'email', firstName: 'given_name', lastName: 'family_name' },
        addresses: {
          redirect_uri: 'http://localhost:8000/oauth/callback',
          backchannel_logout_uri: 'http://localhost:8000/oauth/backchannel-logout/corp-oidc',
        },
      },
    });
    expect(answer.body.oidc).toEqual({
      issuer: provider.url,
      client_id: 'gatehouse',
      ca: null,
      has_client_secret: true,
    });
    expect(JSON.stringify(answer.body)).not.toContain('the secret');
    const { connection_id } = answer.body;
    const connection = await stored(connection_id);
    expect(JSON.stringify(connection)).not.toContain('the secret');
    expect(service.secrets.open(String(connection?.oidc?.client_secret), connection_id)).toBe('the secret');
  });

  test('gives a provider that does not name itself in its answers a callback of its own', async () => {
    documents.set('/.well-known/openid-configuration', (base) => ({
      body: discovery(base, { authorization_response_iss_parameter_supported: undefined }),
    }));
    const { body } = await create(oidc({}, { slug: 'own-callback' }));
    expect(body.addresses.redirect_uri).toBe('http://localhost:8000/oauth/callback/own-callback');
  });

  test('keeps the algorithm of the last ID token until the client is another one', async () => {
    const { connection_id } = (await create(oidc())).body;
    await service.db.ssoConnections.updateOne({ connection_id }, { $set: { id_token_alg: 'ES256' } });
    const afterChange = async (fields: object) => {
      const { status } = await corp.owner.call('PATCH', `/api/v1/sso/connections/${connection_id}`, fields);
      expect(status).toBe(200);
      return (await service.db.ssoConnections.findOne({ connection_id }))?.id_token_alg;
    };
    expect(await afterChange({ name: 'Renamed' })).toBe('ES256');
    expect(await afterChange({ oidc: { client_secret: 'another' } })).toBe('ES256');
    expect(await afterChange({ oidc: { client_id: 'another' } })).toBeUndefined();
  });

  test('trusts the authority of a private OpenID Connect provider alone', async () => {
    const authority = await createCertificate({ name: 'Corp authority', isAuthority: true });
    const server = await createCertificate({ hosts: ['127.0.0.1'], issuer: authority });
    const { privateKey: key, certificate: cert } = server;
    const tls = createServer({ key, cert }, (_request, response) => response.end(discovery(issuer)));
    await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
    const issuer = `https://127.0.0.1:${(tls.address() as AddressInfo).port}`;
    onTestFinished(() => void tls.close().closeAllConnections());
    const untrusted = await create(oidc({ issuer }));
    expect([untrusted.status, untrusted.body.error.details]).toEqual([
      400,
      expect.stringMatching(/^oidc.issuer cannot be used: .*TLS failed/),
    ]);
    const { status, body } = await create(oidc({ issuer, ca: authority.certificate }));
    expect([status, body.oidc.ca]).toEqual([201, expect.stringContaining('BEGIN CERTIFICATE')]);
    const change = (fields: object) =>
      corp.owner.call('PATCH', `/api/v1/sso/connections/${body.connection_id}`, { oidc: fields });
    expect((await change({ ca: null })).body.error.details).toBe(
      'oidc.client_secret is required with another issuer or ca',
    );
    expect((await change({ ca: null, client_secret: 'the secret' })).body.error.details).toMatch(
      /TLS failed/,
    );
    expect((await change({ client_secret: 'another' })).body.oidc).toEqual(body.oidc);
  });

  test('connects a directory and seals its password', async () => {
    const answer = await create(directory());
    const { bind_password: _, ...rest } = ldap;
    expect(answer.status).toBe(201);
    expect(answer.body.ldap).toEqual({
      ...rest,
      fallback_urls: [],
      start_tls: false,
      ca: null,
      has_bind_password: true,
      user_dn: null,
    });
    const { connection_id } = answer.body;
    const connection = await stored(connection_id);
    expect(JSON.stringify([connection, answer.body])).not.toContain(ldap.bind_password);
    expect(service.secrets.open(String(connection?.ldap?.bind_password), connection_id)).toBe(
      ldap.bind_password,
    );
  });

  test('accepts a department of the organization as default', async () => {
    const { status, body } = await create(saml({ default_department_id: corp.department_id }));
    expect([status, body.default_department_id]).toEqual([201, corp.department_id]);
  });

  test('accepts an archived department as default, which may be restored', async () => {
    const at = new Date(service.clock.now()).toISOString();
    const archived = { archived_at: at, deletes_at: at };
    await service.db.departments.updateOne({ department_id: corp.department_id }, { $set: archived });
    const { status } = await create(saml({ default_department_id: corp.department_id }));
    await service.db.departments.updateOne(
      { department_id: corp.department_id },
      { $unset: { archived_at: true, deletes_at: true } },
    );
    expect(status).toBe(201);
  });

  test('leaves an audit event without secrets', async () => {
    let connection_id = '';
    const events = await eventsOf(service, async () => {
      ({ connection_id } = (await create(oidc({}, { slug: 'audited' }))).body);
    });
    expect(events).toEqual([
      auditEvent(service.clock.now(), {
        action: 'connection.create',
        user_id: corp.owner.user_id,
        email: corp.owner.email.toLowerCase(),
        organization_id: corp.organization_id,
        target: { connection_id },
        after: {
          protocol: 'oidc',
          slug: 'audited',
          name: 'Corp',
          enabled: 'true',
          provider: provider.url,
          default_role: 'Viewer',
          default_department_id: null,
        },
      }),
    ]);
  });

  test('enforces the limit of ten connections under concurrent calls', async () => {
    const answers = await concurrently(12, () => create(directory()));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), 403, 403]);
    const refused = answers.find(({ status }) => status === 403);
    expect(refused?.body.error.details).toBe('An organization may have at most 10 connections');
    expect(await count()).toBe(10);
  });

  test('returns 409 for a slug in use, also under concurrent calls', async () => {
    const other = await service.newOrganization({ domain: null });
    const answers = await concurrently(6, (turn) =>
      turn % 2 === 0
        ? create({ ...directory(), slug: 'wanted' })
        : create({ ...directory(), organization_id: other.organization_id, slug: 'wanted' }, other.owner),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(5).fill(409)]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body.error).toMatchObject({
      code: 'DUPLICATE_RESOURCE',
      details: 'slug is already in use',
    });
  });
});

describe('POST /api/v1/sso/connections is refused', () => {
  test('with 403 and a reason without the plan', async () => {
    const poor = await service.newOrganization({ domain: null, plan: 'Free' });
    const answer = await create({ ...directory(), organization_id: poor.organization_id }, poor.owner);
    expect(outcome(answer)).toStrictEqual(
      service.failure(
        answer,
        403,
        'FORBIDDEN',
        'Forbidden',
        'Single sign-on needs the Enterprise plan: paid for a department, or held by an Owner of the organization',
      ),
    );
  });

  test('with 403 for a member and 404 for anybody else', async () => {
    const [member, stranger] = [await service.newPerson(), await service.newPerson()];
    await service.db.memberships.insertOne({
      membership_id: NOWHERE,
      organization_id: corp.organization_id,
      department_id: corp.department_id,
      user_id: member.user_id,
      role: 'Admin',
      granted_by: corp.owner.user_id,
      granted_at: new Date(service.clock.now()).toISOString(),
    });
    expect((await create(directory(), member)).status).toBe(403);
    expect((await create(directory(), stranger)).status).toBe(404);
    expect((await create({ ...directory(), organization_id: NOWHERE })).status).toBe(404);
    expect(await count()).toBe(0);
  });

  test.each(['organization_id', 'protocol', 'slug', 'name'])('with 400 without %s', async (field) => {
    const answer = await create({ ...saml(), [field]: undefined });
    expect(outcome(answer)).toStrictEqual(
      service.failure(answer, 400, 'MISSING_FIELD', 'A required field is missing', `${field} is required`),
    );
    expect(await count()).toBe(0);
  });

  const slug = 'slug must be 3 to 40 characters of a to z, 0 to 9 and -';
  test.each([
    [{ protocol: 'kerberos' }, 'protocol must be one of saml, oidc, ldap'],
    [{ slug: 'ab' }, slug],
    [{ slug: 'x'.repeat(41) }, slug],
    [{ slug: 'Corp' }, slug],
    [{ slug: 'corp/../x' }, slug],
    [{ slug: 'corp\n' }, slug],
    [{ name: '' }, 'name must be a single line of 1 to 100 characters'],
    [{ enabled: 'yes' }, 'enabled must be true or false'],
    [{ preset: 'onelogin' }, 'preset must be one of okta, entra, google, keycloak'],
    [{ attributes: { email: '' } }, 'attributes.email must be a single line of 1 to 256 characters'],
    [
      { group_roles: [{ group: 'admins', role: 'Owner' }] },
      'group_roles.0.role must be one of Admin, Editor, Viewer, Analyst',
    ],
    [
      { group_roles: Array(101).fill({ group: 'a', role: 'Admin' }) },
      'group_roles must hold at most 100 rows',
    ],
    [{ group_roles: { admins: 'Admin' } }, 'group_roles must be an array of {group, role}'],
    [{ default_role: 'Owner' }, 'default_role must be one of Admin, Editor, Viewer, Analyst'],
    [{ default_department_id: NOWHERE }, 'default_department_id must be a department of the organization'],
  ])('with 400 for %j', async (fields, details) => {
    const answer = await create(saml(fields));
    expect(outcome(answer)).toStrictEqual(
      service.failure(answer, 400, 'INVALID_FORMAT', 'The request is malformed', details),
    );
    expect(await count()).toBe(0);
  });

  test('with 400 for the department of another organization', async () => {
    const other = await service.newOrganization({ domain: null });
    const { status } = await create(saml({ default_department_id: other.department_id }));
    expect(status).toBe(400);
  });

  test('with 400 for a department whose deletion has begun', async () => {
    const { department_id } = corp;
    await service.db.departments.updateOne({ department_id }, { $set: { deleting: true } });
    const { status } = await create(saml({ default_department_id: department_id }));
    await service.db.departments.updateOne({ department_id }, { $unset: { deleting: true } });
    expect(status).toBe(400);
  });

  test('with 400 for SAML certificates that have expired, are weak, or are none', async () => {
    const now = service.clock.now();
    const [expired, weak, ec] = await Promise.all([
      createCertificate({ now, days: -1 }),
      createCertificate({ now, kind: 'weak' }),
      createCertificate({ now, kind: 'ec' }),
    ]);
    const details = { idp_entity_id: 'urn:idp', sso_url: 'https://idp.example/sso' };
    const date = new Date(now - 86_400_000).toISOString().slice(0, 10);
    const refusal = async (...certificates: string[]) => {
      const { status, body } = await create(saml({ saml: { ...details, certificates } }));
      return [status, body.error?.details];
    };
    expect(await refusal(expired.certificate)).toEqual([400, `saml.certificates.0 has expired on ${date}`]);
    for (const { certificate } of [weak, ec]) {
      expect(await refusal(pem, certificate)).toEqual([
        400,
        'saml.certificates.1 must have an RSA key of 2048 bits or more',
      ]);
    }
    for (const text of ['', 'nonsense', `${pem}trailing`, pem.replace(/[A-Za-z]/g, 'A'), weak.privateKey]) {
      expect(await refusal(text)).toEqual([400, 'saml.certificates.0 must be a certificate in PEM']);
    }
    expect(await refusal()).toEqual([400, 'saml.certificates must hold a certificate']);
    expect(await refusal(...Array(5).fill(pem))).toEqual([
      400,
      'saml.certificates must hold at most 4 certificates',
    ]);
    expect(await count()).toBe(0);
  });

  test.each<[object, string]>([
    [
      {},
      'saml must hold metadata_url, metadata_xml, or the details of the provider; idp_entity_id, sso_url, certificates missing',
    ],
    [
      { metadata_xml: '<x/>', sso_url: 'https://idp.example/' },
      'saml must hold metadata_url, metadata_xml, or the details of the provider',
    ],
    [{ metadata_url: 'ftp://idp.example/' }, 'saml.metadata_url must be a URL that begins with https://'],
    // It would not fit into a header.
    [
      { metadata_url: 'https://idp.example/\u5fd8' },
      'saml.metadata_url must be a URL that begins with https://',
    ],
    [
      { metadata_url: 'https://u:p@idp.example/' },
      'saml.metadata_url must not contain a user name or password',
    ],
    [
      { metadata_url: 'http://10.0.0.1/' },
      'saml.metadata_url must resolve to public addresses or to networks that the operator allows',
    ],
    [
      { metadata_url: 'http://169.254.169.254/latest' },
      'saml.metadata_url must resolve to public addresses or to networks that the operator allows',
    ],
    [
      { metadata_url: 'http://idp.example:6379/' },
      'saml.metadata_url cannot be read: the name does not resolve',
    ],
  ])('with 400 for the SAML settings %j', async (settings, details) => {
    const answer = await create(saml({ saml: settings }));
    expect([answer.status, answer.body.error?.details]).toEqual([400, details]);
    expect(await count()).toBe(0);
  });

  test.each([
    [
      'a redirect',
      { status: 302, location: '/metadata', body: '' },
      'the response is a redirect, which is not followed',
    ],
    ['an error', { status: 500, body: '' }, 'the response has status 500'],
    ['a response without end', { body: 'x'.repeat(1024 * 1024 + 1) }, 'the response is too long'],
  ])('with 400 for metadata that are %s', async (_what, document, reason) => {
    documents.set('/elsewhere', () => document);
    const answer = await create(saml({ saml: { metadata_url: `${provider.url}/elsewhere` } }));
    expect([answer.status, answer.body.error?.details]).toEqual([
      400,
      `saml.metadata_url cannot be read: ${reason}`,
    ]);
  });

  test.each<[string, string | object, string]>([
    [
      'of another issuer',
      { issuer: 'https://other.example' },
      'the discovery document is that of https://other.example',
    ],
    [
      'without a token endpoint',
      { token_endpoint: undefined },
      'the discovery document lacks token_endpoint',
    ],
    ['that is not JSON', '<html>', 'unexpected response content-type'],
  ])('with 400 for a discovery document %s', async (_what, document, reason) => {
    documents.set('/.well-known/openid-configuration', (base) => ({
      body: typeof document === 'string' ? document : discovery(base, document),
    }));
    const answer = await create(oidc());
    expect([answer.status, answer.body.error?.details]).toEqual([
      400,
      `oidc.issuer cannot be used: ${reason}`,
    ]);
    expect(await count()).toBe(0);
  });

  const EITHER = 'ldap must hold either user_filter or user_dn';
  const FILTER = 'ldap.user_filter must be a filter with {username}, such as (uid={username})';
  const URL = 'ldap.url must be a URL such as ldaps://ldap.example.com:636';
  test.each<[object, string]>([
    [{ url: undefined }, 'ldap.url is required'],
    [{ url: 'https://ldap.example.com' }, URL],
    [{ url: 'ldaps://ldap.example.com/dc=example' }, URL],
    [{ url: 'ldaps://u@ldap.example.com' }, URL],
    [{ url: 'ldaps://ldap.example.com:0' }, URL],
    [{ url: 'ldapi:///var/run/ldapi' }, URL],
    [
      { url: 'ldaps://10.0.0.1' },
      'ldap.url must resolve to public addresses or to networks that the operator allows',
    ],
    [
      { url: 'ldaps://93.184.215.14:25' },
      'ldap.url must resolve to public addresses or to networks that the operator allows',
    ],
    [{ url: 'ldap://2130706433', ca: null }, ''],
    [{ start_tls: true }, 'ldap.start_tls must be false with ldaps://'],
    [
      { fallback_urls: ['ldap://ldap.example.com'] },
      'ldap.fallback_urls must begin with ldaps:// like ldap.url, so that nobody can bring about a login without TLS',
    ],
    [{ user_dn: 'uid={username},dc=example,dc=com' }, EITHER],
    [{ user_filter: null }, EITHER],
    [{ user_filter: '(uid=ada)' }, FILTER],
    [{ user_filter: '(uid={username}' }, FILTER],
    [{ user_filter: 'uid={username}' }, FILTER],
    [{ base_dn: undefined }, 'ldap.base_dn is required with user_filter'],
    [{ base_dn: 'people' }, 'ldap.base_dn must be a distinguished name such as ou=people,dc=example,dc=com'],
    [{ bind_password: undefined }, 'ldap must hold both bind_dn and bind_password, or neither'],
    [
      { bind_password: 'a\u0000b' },
      'ldap.bind_password must be 1 to 1024 characters without control characters',
    ],
    [{ ca: 'nonsense' }, 'ldap.ca must be a certificate in PEM'],
  ])('with 400 for the LDAP settings %j', async (settings, details) => {
    const answer = await create(directory(settings));
    if (details === '') return expect(answer.status).toBe(201); // 127.0.0.1 in decimal, which is allowed here
    expect([answer.status, answer.body.error?.details]).toEqual([400, details]);
    expect(await count()).toBe(0);
  });
});

describe('in production', () => {
  let production: SsoService;
  let organization: Organization;
  beforeAll(async () => {
    production = await startSsoService({
      env: {
        NODE_ENV: 'production',
        PASSWORD_STORAGE_ACKNOWLEDGED: '1',
        SSO_ALLOWED_NETWORKS: '10.0.0.0/8',
        PUBLIC_URL: 'https://a.example',
      },
      outbound: {
        resolve: async (name) => (name === 'idp.example' ? ['93.184.215.14'] : ['10.1.2.3']),
      },
    });
    organization = await production.newOrganization({ domain: null });
  });
  afterAll(() => production.stop());

  const details = () => ({ idp_entity_id: 'urn:idp', certificates: [pem] });
  test.each<[object, number, string?]>([
    [{ saml: { sso_url: 'https://idp.example/' } }, 201],
    [{ saml: { sso_url: 'http://inside.example/' } }, 201],
    [{ saml: { sso_url: 'http://idp.example/' } }, 400, 'saml.sso_url must begin with https://'],
    [
      { saml: { metadata_url: 'http://idp.example/' } },
      400,
      'saml.metadata_url must be encrypted (https, ldaps or StartTLS)',
    ],
    [
      { oidc: { issuer: 'http://idp.example', client_id: 'x' } },
      400,
      'oidc.issuer must be encrypted (https, ldaps or StartTLS)',
    ],
    [
      { ldap: { ...ldap, url: 'ldap://idp.example' } },
      400,
      'ldap.url must resolve to public addresses or to networks that the operator allows',
    ],
    [{ ldap: { ...ldap, url: 'ldap://idp.example', start_tls: true } }, 201],
    [{ ldap: { ...ldap, url: 'ldap://inside.example:3890' } }, 201],
  ])('%j: %i', async (settings, status, text) => {
    const [[protocol, given]] = Object.entries(settings) as [[string, Record<string, unknown>]];
    slugs += 1;
    const answer = await organization.owner.call('POST', '/api/v1/sso/connections', {
      organization_id: organization.organization_id,
      protocol,
      slug: `production-${slugs}`,
      name: 'Corp',
      [protocol]: 'sso_url' in given ? { ...details(), ...given } : given,
    });
    expect([answer.status, answer.body.error?.details]).toEqual([status, text]);
  });
});
