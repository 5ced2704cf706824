import { jsonBody } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import type { Connection, Protocol } from '../connection-records.ts';
import { printable } from '../connections/fields.ts';
import { ownedConnection, requirePlan } from '../connections/owned.ts';
import type { SsoOptions } from '../dependencies.ts';
import { operation } from '../dependencies.ts';
import { testAttributes } from './attributes.ts';
import type { Finding } from './finding.ts';
import { testLdap } from './ldap.ts';
import { testLoginPage } from './login-page.ts';
import { testOidc } from './oidc.ts';
import { testSaml } from './saml.ts';

export const testConnection = operation('POST /api/v1/sso/connections/{connection_id}/test', {
  needs: 'ownership',
  summary: 'Test a connection',
  description:
    'Calls the provider, without logging anybody in, and says in words what is wrong: an address that cannot be reached, a certificate that is wrong or expires within 30 days, a clock that differs, an attribute that is missing at the latest login or in the sample. An LDAP connection looks for `username`.',
  body: jsonBody({
    attributes: z
      .record(z.string(), z.unknown())
      .exactOptional()
      .meta({ description: 'A sample of what the provider sends about a person' }),
    username: printable(256).exactOptional(),
  })
    .nullable()
    .meta({ examples: [{ attributes: { email: 'ada@example.com', given_name: 'Ada' } }, {}] }),
  returns: z
    .object({
      findings: z.array(
        z.object({
          level: z.enum(['ok', 'warning', 'error']),
          check: z.string(),
          message: z.string(),
        }),
      ),
    })
    .meta({
      description: 'What was found',
      examples: [
        {
          findings: [
            {
              level: 'warning',
              check: 'signing certificate',
              message: 'The certificate expires on 2026-02-01. Add its successor before.',
            },
          ],
        },
      ],
    }),
  async handle(call) {
    const { params, body, request } = call;
    const connection = await ownedConnection(call, request, params.connection_id);
    await requirePlan(call, connection.organization_id);
    const { attributes, username } = body ?? {};
    const tests: Record<Protocol, () => Promise<Finding[]>> = {
      saml: () => testSamlProvider(call, connection),
      oidc: () => testOidc(call, connection),
      ldap: () => testLdap(call, connection, username),
    };
    const findings = await tests[connection.protocol]();
    // The test of SAML reports the latest login itself, and a directory is asked for the attributes of a user name.
    const isKnown = attributes === undefined && (connection.protocol === 'saml' || username !== undefined);
    return { findings: [...findings, ...(isKnown ? [] : testAttributes(connection, attributes))] };
  },
});

async function testSamlProvider(options: SsoOptions, connection: Connection): Promise<Finding[]> {
  const [findings, page] = await Promise.all([
    testSaml(options, connection),
    connection.saml ? testLoginPage(options, connection.saml) : [],
  ]);
  return [...findings, ...page];
}
