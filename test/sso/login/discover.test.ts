import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../fixtures/http.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';

let service: SsoService;
beforeAll(async () => {
  service = await startSsoService();
});
afterAll(() => service.stop());

const discover = (parameters: Record<string, string> | string) =>
  send(`${service.url}/api/v1/auth/sso/discover?${new URLSearchParams(parameters)}`);
let domains = 0;
/** An organization with the plan, a verified domain of its own, and connections. */
async function newOrganization(...connections: Parameters<SsoService['newConnection']>[1][]) {
  domains += 1;
  const domain = `corp${domains}.example`;
  const organization = await service.newOrganization({ domain });
  const created = [];
  for (const connection of connections) created.push(await service.newConnection(organization, connection));
  return { ...organization, domain, connections: created, slug: String(created[0]?.slug) };
}
const statusOf = async (parameters: Record<string, string>) => (await discover(parameters)).status;

const OIDC = { issuer: 'https://idp.example', client_id: 'gatehouse', client_secret: null };

describe('GET /api/v1/auth/sso/discover', () => {
  it.each([
    ['saml', (slug: string) => `http://localhost:8000/saml/login/${slug}`],
    ['oidc', (slug: string) => `http://localhost:8000/oauth/login/${slug}`],
    ['ldap', () => 'http://localhost:8000/api/v1/auth/ldap'],
  ] as const)('finds a connection of %s by domain and by slug', async (protocol, login_url) => {
    const { domain, slug } = await newOrganization({
      protocol,
      name: 'Corp',
      ...(protocol === 'oidc' && { oidc: OIDC }),
    });
    const found = { protocol, name: 'Corp', slug, login_url: login_url(slug) };
    for (const which of [{ domain }, { domain: domain.toUpperCase() }, { slug }]) {
      const { status, headers, body } = await discover(which);
      expect({ status, body }).toEqual({ status: 200, body: found });
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('takes the oldest enabled connection of a domain', async () => {
    const { domain, connections } = await newOrganization(
      { protocol: 'saml', enabled: false, created_at: new Date(service.clock.now() - 3_000) },
      { protocol: 'saml', created_at: new Date(service.clock.now() - 1_000) },
      { protocol: 'saml', created_at: new Date(service.clock.now() - 2_000) },
    );
    expect((await discover({ domain })).body.slug).toBe(connections[2]?.slug);
  });

  it('takes the connection that the domain is bound to, while that is enabled', async () => {
    const { domain, connections } = await newOrganization(
      { protocol: 'saml' },
      { protocol: 'oidc', oidc: OIDC },
    );
    const [oldest, bound] = connections.map(({ slug, connection_id }) => ({ slug, connection_id }));
    const { ssoDomains, ssoConnections } = service.db;
    const connection_id = String(bound?.connection_id);
    await ssoDomains.updateOne({ domain }, { $set: { connection_id } });
    expect((await discover({ domain })).body.slug).toBe(bound?.slug);
    await ssoConnections.updateOne({ connection_id }, { $set: { enabled: false } });
    expect((await discover({ domain })).body.slug).toBe(oldest?.slug);
  });

  it('reveals nothing of a disabled or deleted connection', async () => {
    const disabled = await newOrganization({ protocol: 'saml', enabled: false });
    const deleted = await newOrganization({ protocol: 'saml', deleted_at: new Date(service.clock.now()) });
    for (const { domain, slug } of [disabled, deleted]) {
      expect([await statusOf({ domain }), await statusOf({ slug })]).toEqual([404, 404]);
    }
  });

  it('reveals nothing of an organization without the plan', async () => {
    const { domain, slug, department_id } = await newOrganization({ protocol: 'saml' });
    await service.db.departments.updateOne(
      { department_id },
      { $set: { 'billing.subscription_plan': 'Free' } },
    );
    expect([await statusOf({ domain }), await statusOf({ slug })]).toEqual([404, 404]);
  });

  it('ignores a domain that is not verified', async () => {
    const { organization_id } = await newOrganization({ protocol: 'saml' });
    await service.addDomain(organization_id, 'unverified.example');
    await service.db.ssoDomains.updateOne(
      { domain: 'unverified.example' },
      { $unset: { verified_domain: true, verified_at: true } },
    );
    expect(await statusOf({ domain: 'unverified.example' })).toBe(404);
  });

  it.each([
    { domain: 'nobody.example' },
    { domain: 'sub.corp1.example' },
    { domain: 'corp1.example/x' },
    { domain: '127.0.0.1' },
    { domain: '\u0000' },
    { domain: '[object Object]' },
    { slug: 'nobody' },
    { slug: '__proto__' },
  ])('answers 404 for %o', async (which) => {
    service.failure(await discover(which as Record<string, string>), 404, 'RESOURCE_NOT_FOUND', 'Not found');
  });

  it.each([
    '',
    'domain=',
    'domain=a.example&slug=a',
    'slug=a&slug=b',
    'domain[$ne]=x',
    `slug=${'a'.repeat(300)}`,
  ])('answers 400 for the query "%s"', async (query) => {
    const { status, body } = await send(`${service.url}/api/v1/auth/sso/discover?${query}`);
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'INVALID_FORMAT' });
  });
});
