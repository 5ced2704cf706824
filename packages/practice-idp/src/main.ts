import '@gatehouse/shared/safe-exit';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadStandaloneConfig } from '@gatehouse/shared/config';
import { PEOPLE } from './people.ts';
import { type PracticeIdp, startPracticeIdp } from './practice-idp.ts';
import { loadSigningKey } from './signing-key.ts';
import { environmentLines } from './social/environment.ts';

const USAGE = `Starts identity providers for trying logins out on this machine, with three people: SAML, OpenID Connect,
Google, Apple, Microsoft and GitHub on one port, LDAP on another. Nothing here is secret, and it listens on
127.0.0.1 only. Ctrl-C stops it. \`npm start -- --practice\` starts it too, with the settings that it needs.

  npm run practice-idp [-- OPTIONS]

  --port PORT          everything but LDAP, 8090 by default
  --ldap-port PORT     LDAP, 3890 by default
  --gatehouse URL      the gateway, http://localhost:GATEWAY_PORT by default`;

function port(text: string, name: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65_535) throw new Error(`--${name} must be a port, 0 to 65535`);
  return number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      port: { type: 'string', default: '8090' },
      'ldap-port': { type: 'string', default: '3890' },
      gatehouse: { type: 'string' },
    },
  });
  if (values.help) return console.log(USAGE);
  const config = loadStandaloneConfig();
  const gatehouse = new URL(values.gatehouse ?? `http://localhost:${config.GATEWAY_PORT}`).href.replace(
    /\/$/,
    '',
  );
  const stopped = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.resolve());
  const practice = await startPracticeIdp({
    port: port(values.port, 'port'),
    ldapPort: port(values['ldap-port'], 'ldap-port'),
    gatehouse,
    key: await loadSigningKey(join(resolve(config.DATA_DIR), 'practice-idp.json')),
  });
  console.log(instructions(practice, gatehouse));
  process.send?.('ready');
  await stopped.promise;
  await practice.stop();
}

function instructions({ base, connections, environment }: PracticeIdp, gatehouse: string): string {
  const people = PEOPLE.map(
    ({ uid, email, password, role, department }) =>
      `  ${uid.padEnd(6)} ${email.padEnd(20)} password ${password.padEnd(15)}  ${role}, ${department}`,
  );
  const call = (path: string, body: object) =>
    `curl ${gatehouse}${path} -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  const withOrganization = (body: object) =>
    call('/api/v1/sso/connections', { organization_id: 'ORG', ...body }).replace('"ORG"', `"'$ORG'"`);
  return `
The practice identity provider is up. Ctrl-C stops it.

  SAML            ${connections.saml.saml.metadata_url}
  OpenID Connect  ${base}
  LDAP            ${connections.ldap.ldap.url}
  People          ${base}/people, where they are disabled, deleted and made slow
  Social login    ${base}/social, where Google, Apple, Microsoft and GitHub are made to fail

${people.join('\n')}

For buttons on the sign-in page, start Gatehouse with these settings, in .env:

${environmentLines(environment)}

With $TOKEN of an Owner and $ORG, their organization on the Enterprise plan (docs/API.md, Single sign-on, says how):

# The domain of the people. Outside production, .test needs no DNS record.
DOMAIN=$(${call('/api/v1/sso/domains', { organization_id: 'ORG', domain: 'practice.test' }).replace('"ORG"', `"'$ORG'"`).replace('curl', 'curl -s')} | sed 's/.*"domain_id":"\\([^"]*\\)".*/\\1/')
curl -X POST ${gatehouse}/api/v1/sso/domains/$DOMAIN/verify -H "authorization: Bearer $TOKEN"

# Any of these connections.
${Object.values(connections).map(withOrganization).join('\n')}

# Log in with a browser at ${gatehouse}/saml/login/practice-saml or ${gatehouse}/oauth/login/practice-oidc, or:
curl ${gatehouse}/api/v1/auth/ldap -H 'content-type: application/json' -d '{"connection":"practice-ldap","username":"ada","password":"ada-practice"}'
`;
}

try {
  await main();
} catch (error) {
  console.error(`practice-idp: ${(error as Error).message}`);
  process.exitCode = 1;
}
