import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BASE_DN, BIND_DN, BIND_PASSWORD, startLdapServer } from './ldap.ts';
import { CLIENT_ID, CLIENT_SECRET, createOidcProvider } from './oidc.ts';
import { createStaff } from './people.ts';
import { createSamlProvider } from './saml.ts';
import type { SigningKey } from './signing-key.ts';
import { environmentOf } from './social/environment.ts';
import { createSocialProviders } from './social/social.ts';
import { createSwitchPage, SWITCH_PATH } from './social/switch-page.ts';
import { createStaffPage, STAFF_PATH } from './staff-page.ts';

interface Options {
  /** The port of everything but LDAP; 0 for any. */
  port: number;
  ldapPort: number;
  /** The base URL of the gateway, without a slash at the end. */
  gatehouse: string;
  key: SigningKey;
}

/** Starts the identity providers on loopback. */
export async function startPracticeIdp({ port, ldapPort, gatehouse, key }: Options) {
  const staff = createStaff();
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const ldap = await startLdapServer(ldapPort, staff).catch((error) => {
    server.close();
    throw error;
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const saml = createSamlProvider(base, gatehouse, key, staff);
  const oidc = createOidcProvider(base, gatehouse, key, staff);
  const social = createSocialProviders(base, gatehouse, key, staff);
  const staffPage = createStaffPage(staff, oidc.revoke);
  const switchPage = createSwitchPage(social.providers);
  server.on('request', (request, response) => {
    const { url = '' } = request;
    if (url.startsWith('/saml/')) return saml.listener(request, response);
    if (url === STAFF_PATH) return staffPage(request, response);
    if (url === SWITCH_PATH) return switchPage(request, response);
    if (social.listener(request, response)) return;
    oidc.listener(request, response);
  });
  return {
    base,
    staff,
    social: social.providers,
    /** The settings with which Gatehouse offers these providers. OpenID Connect stands in for GitLab. */
    environment: environmentOf({
      ...social.providers,
      gitlab: { settings: { ISSUER: base, CLIENT_ID, CLIENT_SECRET } },
    }),
    /** The bodies of POST /api/v1/sso/connections, without `organization_id`. */
    connections: {
      saml: {
        protocol: 'saml',
        slug: 'practice-saml',
        name: 'Practice SAML',
        saml: { metadata_url: saml.metadataUrl },
      },
      oidc: {
        protocol: 'oidc',
        slug: 'practice-oidc',
        name: 'Practice OpenID Connect',
        oidc: { issuer: base, client_id: CLIENT_ID, client_secret: CLIENT_SECRET },
      },
      ldap: {
        protocol: 'ldap',
        slug: 'practice-ldap',
        name: 'Practice LDAP',
        ldap: {
          url: `ldap://127.0.0.1:${ldap.port}`,
          bind_dn: BIND_DN,
          bind_password: BIND_PASSWORD,
          base_dn: BASE_DN,
          user_filter: '(uid={username})',
        },
      },
    },
    async stop() {
      server.closeAllConnections();
      await Promise.all([new Promise((resolve) => server.close(resolve)), ldap.stop()]);
    },
  };
}

export type PracticeIdp = Awaited<ReturnType<typeof startPracticeIdp>>;
