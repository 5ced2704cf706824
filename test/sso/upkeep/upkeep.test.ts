import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutbound, type Outbound } from '@gatehouse/shared/outbound/outbound';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { FastifyBaseLogger } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runUpkeep } from '../../../packages/sso/upkeep/poller.ts';
import { createMailer, type Mailer } from '../../../services/user/mail/mailer.ts';
import { createCertificate } from '../../fixtures/certificates.ts';
import { testConfig } from '../../fixtures/services.ts';
import { idpMetadata, newCertificates } from '../connections/samples.ts';
import { hostOf } from '../host.ts';
import { type SamlService, startSamlService } from '../saml/saml-service.ts';

const DAY = 86_400;
const ENTITY_ID = 'https://idp.example/metadata';

let service: SamlService;
let outbound: Outbound;
let mailer: Mailer;
let pem: string;
let nextPem: string;
let corp: Awaited<ReturnType<SamlService['newOrganization']>>;
let served: { status?: number; body: string };
const provider = createServer((_request, response) => {
  response.writeHead(served.status ?? 200).end(served.body);
});

beforeAll(async () => {
  service = await startSamlService();
  [pem, nextPem] = await newCertificates(service.clock);
  outbound = createOutbound(testConfig('user', { SSO_ALLOWED_NETWORKS: '127.0.0.0/8' }));
  mailer = createMailer(testConfig('user', { SMTP_URL: `smtp://127.0.0.1:${service.mailbox.port}` }));
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  provider.close();
  mailer.close();
  await outbound.close();
  await service.stop();
});
let turn = 0;
beforeEach(async () => {
  turn += 1;
  await service.db.ssoConnections.deleteMany({});
  service.mailbox.mails.length = 0;
  corp = await service.newOrganization({ domain: `upkeep${turn}.example` });
});

const log = { info() {}, warn() {}, error() {} } as unknown as FastifyBaseLogger;
/** Does what one process would. */
const run = (through: Mailer = mailer) =>
  runUpkeep({
    db: service.db,
    now: service.clock.now,
    outbound,
    host: hostOf(service.db, service.clock.now, through),
    log,
  });
const connect = (certificates: string[], saml: object = {}) =>
  service.connect(
    {
      saml: {
        idp_entity_id: ENTITY_ID,
        metadata_url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/metadata`,
        certificates,
        ...saml,
      },
    },
    { of: corp },
  );
const stored = async ({ connection_id }: Connection) => {
  const connection = await service.db.ssoConnections.findOne({ connection_id });
  if (!connection?.saml) throw new Error('the connection is gone');
  return { ...connection, saml: connection.saml };
};
const certificatesOf = async (connection: Connection) => (await stored(connection)).saml.certificates;
const subjects = () =>
  service.mailbox.mails.map(({ recipients, content }) => [recipients[0], content.subject]);

describe('the daily reading of metadata', () => {
  it('takes a new certificate, and drops one that has been gone for a week', async () => {
    const connection = await connect([pem]);
    served = { body: idpMetadata(pem, nextPem) };
    await run();
    expect(await certificatesOf(connection)).toEqual([pem, nextPem]);
    const [event] = await service.db.auditEvents
      .find({ action: 'connection.update', 'target.connection_id': connection.connection_id })
      .toArray();
    expect(event).toMatchObject({ user_id: null, organization_id: corp.organization_id });

    served = { body: idpMetadata(nextPem) };
    await run();
    expect(await certificatesOf(connection)).toEqual([pem, nextPem]);
    for (const [days, certificates] of [
      [1, [nextPem, pem]],
      [6, [nextPem, pem]],
      [1, [nextPem]],
    ] as const) {
      service.clock.advance(days * DAY);
      await run();
      expect(await certificatesOf(connection)).toEqual(certificates);
    }
    expect((await stored(connection)).saml.withdrawn).toBeUndefined();
  });

  it('keeps a certificate that comes back', async () => {
    const connection = await connect([pem, nextPem]);
    for (const body of [idpMetadata(nextPem), idpMetadata(pem, nextPem), idpMetadata(nextPem)]) {
      served = { body };
      await run();
      service.clock.advance(5 * DAY);
    }
    expect((await certificatesOf(connection)).toSorted()).toEqual([pem, nextPem].toSorted());
  });

  it.each<[string, () => { status?: number; body: string }]>([
    [
      'describe another provider',
      () => ({ body: idpMetadata(nextPem).replace(ENTITY_ID, 'https://x.example') }),
    ],
    ['cannot be read', () => ({ status: 503, body: '' })],
    ['are a page', () => ({ body: '<!DOCTYPE html>' })],
  ])('changes nothing and tries again in an hour when they %s', async (_what, serve) => {
    const connection = await connect([pem]);
    served = serve();
    await run();
    expect(await certificatesOf(connection)).toEqual([pem]);
    served = { body: idpMetadata(pem, nextPem) };
    service.clock.advance(3_599);
    await run();
    expect(await certificatesOf(connection)).toEqual([pem]);
    service.clock.advance(1);
    await run();
    expect(await certificatesOf(connection)).toEqual([pem, nextPem]);
  });

  it('changes neither addresses nor a connection that an Owner has changed meanwhile', async () => {
    const connection = await connect([pem]);
    served = {
      body: idpMetadata(pem, nextPem).replace('https://idp.example/sso', 'https://evil.example/sso'),
    };
    await run();
    expect((await stored(connection)).saml).toMatchObject({ sso_url: service.provider.ssoUrl });
  });

  it('takes up the work of a process that was killed once its lease has ended', async () => {
    const connection = await connect([pem]);
    const { connection_id } = connection;
    const due_at = new Date(service.clock.now() + 120_000);
    await service.db.ssoConnections.updateOne(
      { connection_id },
      { $set: { upkeep: { due_at, lease: 'killed' } } },
    );
    served = { body: idpMetadata(pem, nextPem) };
    await run();
    expect(await certificatesOf(connection)).toEqual([pem]);
    service.clock.advance(120);
    await Promise.all([run(), run(), run()]);
    expect(await certificatesOf(connection)).toEqual([pem, nextPem]);
    expect((await stored(connection)).upkeep).toEqual({
      due_at: new Date(service.clock.now() + DAY * 1_000),
    });
  });

  it('leaves a disabled connection alone', async () => {
    const connection = await connect([pem]);
    await service.db.ssoConnections.updateOne(
      { connection_id: connection.connection_id },
      { $set: { enabled: false } },
    );
    served = { body: idpMetadata(pem, nextPem) };
    await run();
    expect(await certificatesOf(connection)).toEqual([pem]);
  });
});

describe('the mails about a certificate that expires', () => {
  const expiring = async (days: number) =>
    (await createCertificate({ days, now: service.clock.now() })).certificate;

  it('go to each Owner once, 30 days and 7 days before, whatever the number of processes', async () => {
    await connect([await expiring(40)], { metadata_url: undefined });
    const mail = [corp.owner.email, 'A certificate of your identity provider expires'];
    for (const [days, count] of [
      [9, 0],
      [1, 1],
      [3, 1],
      [19, 1],
      [1, 2],
      [2, 2],
      [6, 2],
    ] as const) {
      service.clock.advance(days * DAY);
      await Promise.all([run(), run(), run()]);
      expect(subjects()).toEqual(Array(count).fill(mail));
    }
    expect(service.mailbox.mails[0]?.content.text).toContain('Replace it at the provider');
  });

  it('are tried again when the mail server refuses them', async () => {
    await connect([await expiring(20)], { metadata_url: undefined });
    const down: Mailer = {
      ...mailer,
      sendCertificateExpires: () => Promise.reject(new Error('the mail server is down')),
    };
    await run(down);
    service.clock.advance(3_600);
    await run();
    expect(subjects()).toHaveLength(1);
  });

  it('say when the connection has a successor', async () => {
    await connect([await expiring(20), nextPem], { metadata_url: undefined });
    await run();
    expect(service.mailbox.mails.map(({ content }) => content.text)).toEqual([
      expect.stringContaining('another certificate that is valid for longer'),
    ]);
  });
});
