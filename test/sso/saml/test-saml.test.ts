import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { createOutbound } from '@gatehouse/shared/outbound/outbound';
import type { Connection } from '@gatehouse/sso/connection-records';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testSaml } from '../../../packages/sso/diagnosis/saml.ts';
import { createSocialHost } from '../../../services/user/links/host.ts';
import { signingKey } from '../../fixtures/certificates.ts';
import { testConfig } from '../../fixtures/services.ts';
import { hostOf } from '../host.ts';
import { type SamlService, startSamlService } from './saml-service.ts';

let service: SamlService;
let outbound: ReturnType<typeof createOutbound>;
let served: { status?: number; body: string; date?: string };
const metadataServer = createServer((_request, response) => {
  response.writeHead(served.status ?? 200, {
    date: served.date ?? new Date(service.clock.now()).toUTCString(),
  });
  response.end(served.body);
});

beforeAll(async () => {
  service = await startSamlService();
  const config = testConfig('user', { SSO_ALLOWED_NETWORKS: '127.0.0.0/8' });
  outbound = createOutbound(config, {});
  await new Promise<void>((resolve) => metadataServer.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  metadataServer.close();
  await outbound.close();
  await service.stop();
});

const metadataUrl = () => `http://127.0.0.1:${(metadataServer.address() as AddressInfo).port}/metadata`;

function metadataOf(
  certificates: string[],
  { entityId = service.provider.entityId, ssoUrl = service.provider.ssoUrl } = {},
) {
  const keys = certificates.map(
    (pem) =>
      `<KeyDescriptor><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${new X509Certificate(pem).raw.toString('base64')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>`,
  );
  return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${entityId}"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys.join('')}<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${ssoUrl}"/></IDPSSODescriptor></EntityDescriptor>`;
}

async function findings(connection: Connection, now = service.clock.now()) {
  const { db, secrets } = service;
  const config = testConfig('user');
  const tokens = createTokens(config);
  const options = {
    config,
    db,
    host: hostOf(db, service.clock.now),
    social: createSocialHost({ config, db, tokens, now: service.clock.now, wakeNotices: () => {} }),
    tokens,
    secrets,
    outbound,
    resolveTxt: async () => [],
    now: () => now,
  };
  const stored = await db.ssoConnections.findOne({ connection_id: connection.connection_id });
  const found = await testSaml(options, stored ?? connection);
  return found.map(({ level, check, message }) => `${level} ${check}: ${message}`);
}
const ssoConnection = (saml: Partial<NonNullable<Connection['saml']>>) => service.connect({ saml });

describe('testSaml', () => {
  it('finds nothing wrong', async () => {
    served = { body: metadataOf([service.provider.key.certificate]) };
    const connection = await ssoConnection({ metadata_url: metadataUrl() });
    const begun = await service.begin(connection);
    const fields = service.fieldsFor(begun, {
      audience: service.audienceOf(connection),
      attributes: {
        email: 'grace@corp.example',
        firstName: 'Grace',
        lastName: 'Hopper',
        role: 'Viewer',
        department: 'Engineering',
      },
    });
    expect((await service.answer(service.signedResponse(fields), begun)).status).toBe(303);

    expect(await findings(connection)).toEqual([
      'ok Metadata: The metadata of the provider agree with the connection.',
      'ok Clock: The clocks agree.',
      expect.stringMatching(
        /^ok Signing certificates: The certificate of the provider \(serial number \w+\) is valid until/,
      ),
      expect.stringMatching(/^ok Our certificate: Our certificate \(serial number \w+\) is valid until/),
      'ok Attributes: The last login had every attribute.',
      expect.stringMatching(/^ok Last login: The login at .*Z succeeded\.$/),
    ]);
  });

  it('names attributes that the last login lacked, and why it was refused', async () => {
    const connection = await ssoConnection({});
    const login = async (attributes: Record<string, string>, audience = service.audienceOf(connection)) => {
      const begun = await service.begin(connection);
      const fields = service.fieldsFor(begun, { audience, attributes, nameId: 'ada-0001' });
      return service.answer(service.signedResponse(fields), begun);
    };
    expect(await findings(connection)).toContainEqual(
      'warning Attributes: Nobody has logged in yet, so it is not known what the provider sends.',
    );
    expect((await login({ firstName: 'Ada' })).status).toBe(403);
    expect(await findings(connection)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^error Attributes: The last login had no e-mail address\. Missing: email \(as email\)/,
        ),
        expect.stringMatching(/^warning Last login: The login at .* was refused \(email missing/),
      ]),
    );
    await login({ email: 'ada@corp.example', firstName: 'Ada', lastName: 'Lovelace' });
    expect(await findings(connection)).toContainEqual(
      'warning Attributes: The last login lacked role (as role), department (as department).',
    );
    await login({ email: 'ada@corp.example' }, 'https://other.example');
    expect(await findings(connection)).toContainEqual(
      expect.stringMatching(/was refused \(message refused: the audience is https:\/\/other.example, not/),
    );
  });

  it('warns of certificates that end, and says when they have', async () => {
    const connection = await ssoConnection({});
    const end = new X509Certificate(service.provider.key.certificate).validToDate.getTime();
    const day = 86_400_000;
    expect(
      (await findings(connection, end - 20 * day)).filter((found) => found.includes('expires on')),
    ).toHaveLength(2);
    expect(
      (await findings(connection, end + day)).filter((found) => /^error .* expired on/.test(found)),
    ).toHaveLength(2);
    expect(await findings(connection, Date.UTC(2020, 0, 1))).toContainEqual(
      expect.stringMatching(/^warning Signing certificates: .* is valid only from/),
    );
  });

  it.each<[string, () => Promise<typeof served>, RegExp]>([
    [
      'a certificate to come',
      async () => ({
        body: metadataOf([service.provider.key.certificate, (await signingKey('next')).certificate]),
      }),
      /^warning Signing certificates: The provider publishes a certificate that the connection lacks/,
    ],
    [
      'other certificates',
      async () => ({ body: metadataOf([(await signingKey('next')).certificate]) }),
      /^error Signing certificates: The provider signs with none/,
    ],
    [
      'another address',
      async () => ({
        body: metadataOf([service.provider.key.certificate], { ssoUrl: 'https://idp.corp.example/new' }),
      }),
      /^warning Metadata: The provider now logs people in at https:\/\/idp.corp.example\/new/,
    ],
    [
      'a wish for signed requests',
      async () => ({
        body: metadataOf([service.provider.key.certificate]).replace(
          '<IDPSSODescriptor ',
          '<IDPSSODescriptor WantAuthnRequestsSigned="true" ',
        ),
      }),
      /^warning Metadata: The provider wants signed requests/,
    ],
    [
      'another provider',
      async () => ({
        body: metadataOf([service.provider.key.certificate], { entityId: 'https://x.example' }),
      }),
      /^error Metadata: The metadata are those of https:\/\/x.example/,
    ],
    [
      'a page',
      async () => ({ body: '<!DOCTYPE html>' }),
      /^error Metadata: .* has a document type declaration/,
    ],
    [
      'status 404',
      async () => ({ status: 404, body: '' }),
      /^error Metadata: .* the response has status 404/,
    ],
    [
      'a clock that is behind',
      async () => ({
        body: metadataOf([service.provider.key.certificate]),
        date: new Date(service.clock.now() - 300_000).toUTCString(),
      }),
      /^error Clock: The provider's clock is 300 seconds behind; up to 60 are tolerated/,
    ],
  ])('reads the metadata and finds %s', async (_what, serve, finding) => {
    served = await serve();
    const connection = await ssoConnection({ metadata_url: metadataUrl() });
    expect(await findings(connection)).toContainEqual(expect.stringMatching(finding));
  });

  it('says that the metadata cannot be reached', async () => {
    const connection = await ssoConnection({ metadata_url: 'http://127.0.0.1:1/metadata' });
    expect(await findings(connection)).toContainEqual(
      expect.stringMatching(/^error Metadata: http:\/\/127.0.0.1:1\/metadata cannot be used: /),
    );
  });
});
