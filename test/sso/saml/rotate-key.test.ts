import { createVerify } from 'node:crypto';
import type { Connection } from '@gatehouse/sso/connection-records';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { send } from '../../fixtures/http.ts';
import { toBase64 } from '../../fixtures/saml-provider.ts';
import { concurrently } from '../../user/organizations/organization-service.ts';
import { ACS_URL, type SamlService, startSamlService } from './saml-service.ts';

let service: SamlService;
beforeAll(async () => {
  service = await startSamlService();
});
afterAll(() => service.stop());

const path = ({ connection_id }: Connection) => `/api/v1/sso/connections/${connection_id}/rotate-key`;
const rotate = (connection: Connection, body: object = {}) =>
  service.organization.owner.call('POST', path(connection), body);

/** The certificates in our metadata, by use, as PEM without line breaks. */
async function published({ slug }: Connection) {
  const { body } = await send(`${service.url}/saml/metadata/${slug}`);
  const keys = [...body.matchAll(/use="(\w+)">.*?X509Certificate>([^<]+)</g)];
  return keys.map(([, use, certificate]) => [use, certificate]);
}
const plain = (pem: string) => pem.replace(/-----[^-]*-----|\s/g, '');

/** The certificate of the key that signs a request of ours. */
async function signerOf(connection: Connection, candidates: string[]) {
  const { redirect } = await service.begin(connection);
  const [signed = '', signature = ''] = new URL(redirect).search.slice(1).split('&Signature=');
  return candidates.find((certificate) =>
    createVerify('sha256').update(signed).verify(certificate, decodeURIComponent(signature), 'base64'),
  );
}

/** Logs in with an assertion that is encrypted for a certificate. @returns the status. */
async function logIn(connection: Connection, certificate: string) {
  const { provider, begin, fieldsFor, audienceOf, answer } = service;
  const begun = await begin(connection);
  const fields = fieldsFor(begun, { audience: audienceOf(connection), recipient: ACS_URL });
  const content = await provider.encryptFor(certificate, provider.sign(provider.assertion(fields)));
  return (await answer(provider.response(fields, content), begun)).status;
}

describe('POST /api/v1/sso/connections/{connection_id}/rotate-key', () => {
  it('signs with a new key at once, publishes both for 30 days, and decrypts with both', async () => {
    const connection = await service.connect({ saml: { sign_requests: true } });
    const old = service.spKey.certificate;
    let body: { saml: Record<string, string> } = { saml: {} };
    const events = await eventsOf(service, async () => {
      const answer = await rotate(connection);
      expect(answer.status).toBe(200);
      body = answer.body;
    });
    expect(events.map(({ action, after }) => [action, after])).toEqual([
      ['connection.update', { key: 'rotated' }],
    ]);
    expect(JSON.stringify(body)).not.toContain('private');
    const { sp_certificate: fresh = '', previous_sp_certificate } = body.saml;
    expect(previous_sp_certificate).toBe(old);
    expect(await published(connection)).toEqual([
      ['signing', plain(fresh)],
      ['signing', plain(old)],
      ['encryption', plain(fresh)],
    ]);
    expect(await signerOf(connection, [old, fresh])).toBe(fresh);
    expect([await logIn(connection, old), await logIn(connection, fresh)]).toEqual([303, 303]);

    service.clock.advance(30 * 86_400);
    expect(await published(connection)).toEqual([
      ['signing', plain(fresh)],
      ['encryption', plain(fresh)],
    ]);
    expect(await logIn(connection, old)).toBe(303);
    await rotate(connection);
    expect([await logIn(connection, old), await logIn(connection, fresh)]).toEqual([403, 303]);
  });

  it('publishes a prepared key first, which a second call puts to use', async () => {
    const connection = await service.connect({ saml: { sign_requests: true } });
    const old = service.spKey.certificate;
    const { next_sp_certificate: next } = (await rotate(connection, { prepare: true })).body.saml;
    // A repeated call keeps what the provider may know by now.
    expect((await rotate(connection, { prepare: true })).body.saml.next_sp_certificate).toBe(next);
    expect(await published(connection)).toEqual([
      ['signing', plain(old)],
      ['signing', plain(next)],
      ['encryption', plain(old)],
    ]);
    expect(await signerOf(connection, [old, next])).toBe(old);
    expect(await logIn(connection, next)).toBe(303);
    const { saml } = (await rotate(connection)).body;
    expect([saml.sp_certificate, saml.next_sp_certificate, saml.previous_sp_certificate]).toEqual([
      next,
      null,
      old,
    ]);
    expect(await signerOf(connection, [old, next])).toBe(next);
  });

  it('loses no key when several calls come at once', async () => {
    const connection = await service.connect();
    const answers = await concurrently(2, () => rotate(connection));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const current = new Set(answers.map(({ body }) => body.saml.sp_certificate));
    expect(current.size).toBe(2);
    // Each made the one before it the previous key.
    const previous = answers.map(({ body }) => body.saml.previous_sp_certificate);
    expect(previous.filter((certificate) => !current.has(certificate))).toEqual([service.spKey.certificate]);
  });

  it('does not let an assertion in a second time after a rotation', async () => {
    const connection = await service.connect({ saml: { idp_initiated: true } });
    const { provider, fieldsFor, audienceOf, post } = service;
    const fields = fieldsFor(undefined, { audience: audienceOf(connection) });
    const content = await provider.encryptFor(
      service.spKey.certificate,
      provider.sign(provider.assertion(fields)),
    );
    const SAMLResponse = toBase64(provider.response(fields, content));
    expect((await post({ SAMLResponse })).status).toBe(303);
    const { sp_certificate } = (await rotate(connection)).body.saml;
    expect((await post({ SAMLResponse })).status).toBe(403);
    const again = await provider.encryptFor(sp_certificate, provider.sign(provider.assertion(fields)));
    expect((await post({ SAMLResponse: toBase64(provider.response(fields, again)) })).status).toBe(403);
  });

  it('is for Owners, and for SAML alone', async () => {
    const directory = await service.newConnection(service.organization, { protocol: 'ldap' });
    const { status, body } = await rotate(directory);
    expect([status, body.error.details]).toEqual([400, 'The connection has no key, since it is not of SAML']);
    const stranger = await service.newPerson();
    expect((await stranger.call('POST', path(service.connection), {})).status).toBe(404);
    expect((await rotate(service.connection, { prepare: 'yes' })).status).toBe(400);
  });
});
