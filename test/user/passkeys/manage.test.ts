import { randomUUIDv7 } from 'node:crypto';
import { unusableHash } from '@gatehouse/shared/identity/passwords';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { softwareAuthenticator } from '../../fixtures/authenticator.ts';
import { failuresAt, outcome } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { send, sendJson } from '../../fixtures/http.ts';
import { logIn, register, withPasskey } from '../../fixtures/passkeys.ts';
import { type SsoService, startSsoService } from '../../sso/sso-service.ts';

let services: SsoService;
beforeAll(async () => {
  services = await startSsoService({
    env: {
      SOCIAL_PROVIDERS: 'google',
      SOCIAL_GOOGLE_CLIENT_ID: 'gatehouse',
      SOCIAL_GOOGLE_CLIENT_SECRET: 'secret',
    },
  });
});
afterAll(() => services.stop());

const failure = failuresAt(() => services.clock.now());
const PATH = '/api/v1/users/me/passkeys';
type Owner = Pick<Awaited<ReturnType<typeof withPasskey>>, 'authorization' | 'passkey_id'>;
const list = ({ authorization }: Owner) => send(`${services.user}${PATH}`, { headers: { authorization } });
const rename = ({ authorization }: Owner, id: string, name: unknown) =>
  sendJson('PATCH', `${services.user}${PATH}/${id}`, { name }, { authorization });
const remove = ({ authorization }: Owner, id: string) =>
  send(`${services.user}${PATH}/${id}`, { method: 'DELETE', headers: { authorization } });
const LAST = 'Nothing else opens the account. Please set a password or add another way to log in first.';
const removed = { status: 200, body: { message: 'Passkey removed' } };
/** An account that began at a provider. */
const withoutPassword = async (fields: object = {}) => {
  const owner = await withPasskey(services, fields);
  await services.db.users.updateOne({ _id: owner._id }, { $set: { password: unusableHash() } });
  return owner;
};

describe('the list', () => {
  test('holds the own passkeys, oldest first, with their last use', async () => {
    const ada = await withPasskey(services);
    await withPasskey(services);
    services.clock.advance(1);
    await register(
      services,
      { authorization: ada.authorization },
      softwareAuthenticator({ synced: false, transports: ['usb'] }),
      { name: 'Key' },
    );
    await logIn(services, ada.authenticator);
    const hour = new Date(Math.floor(services.clock.now() / 3_600_000) * 3_600_000);
    const { body } = await list(ada);
    expect(body).toEqual({
      passkeys: [
        {
          passkey_id: ada.passkey_id,
          name: 'Phone',
          device_family: 'synced',
          provider: null,
          created_at: new Date(services.clock.now() - 1_000).toISOString(),
          last_used_at: hour.toISOString(),
        },
        {
          passkey_id: expect.any(String),
          name: 'Key',
          device_family: 'security_key',
          provider: null,
          created_at: new Date(services.clock.now()).toISOString(),
          last_used_at: null,
        },
      ],
    });
  });

  test('leaves out what the account does not name', async () => {
    const ada = await withPasskey(services);
    await services.db.users.updateOne({ _id: ada._id }, { $set: { passkeys: [] } });
    expect((await list(ada)).body).toEqual({ passkeys: [] });
    expect((await rename(ada, ada.passkey_id, 'x')).status).toBe(404);
    expect((await remove(ada, ada.passkey_id)).status).toBe(404);
  });
});

describe('a new name', () => {
  test('is audited, once', async () => {
    const ada = await withPasskey(services);
    const events = await eventsOf(services, async () => {
      expect((await rename(ada, ada.passkey_id, ' Work phone ')).body.name).toBe('Work phone');
      expect((await rename(ada, ada.passkey_id, 'Work phone')).status).toBe(200);
    });
    expect(events).toEqual([
      auditEvent(services.clock.now(), {
        action: 'passkey.rename',
        user_id: ada.user_id as string,
        email: ada.email.toLowerCase(),
        before: { name: 'Phone' },
        after: { name: 'Work phone' },
      }),
    ]);
  });

  test.each([[''], ['\u202e'], ['x'.repeat(101)], [null], [{ $set: 1 }]])('cannot be %j', async (name) => {
    const ada = await withPasskey(services);
    expect((await rename(ada, ada.passkey_id, name)).status).toBe(400);
  });
});

describe('another account', () => {
  test('neither renames nor removes a passkey', async () => {
    const [ada, eve] = [await withPasskey(services), await withPasskey(services)];
    for (const answer of [
      await rename(eve, ada.passkey_id, 'Mine'),
      await remove(eve, ada.passkey_id),
      await remove(eve, ada.authenticator.id),
      await remove(eve, randomUUIDv7()),
    ])
      expect(outcome(answer)).toEqual(failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found'));
    expect((await list(ada)).body.passkeys).toMatchObject([{ name: 'Phone' }]);
    expect((await logIn(services, ada.authenticator)).status).toBe(200);
  });
});

describe('a removal', () => {
  test('ends the passkey, is audited and told by mail', async () => {
    const ada = await withPasskey(services);
    const events = await eventsOf(services, async () =>
      expect(outcome(await remove(ada, ada.passkey_id))).toEqual(removed),
    );
    expect(events).toEqual([
      auditEvent(services.clock.now(), {
        action: 'passkey.remove',
        user_id: ada.user_id as string,
        email: ada.email.toLowerCase(),
        before: { name: 'Phone' },
      }),
    ]);
    expect((await logIn(services, ada.authenticator)).status).toBe(401);
    expect(await services.db.passkeys.countDocuments({ account: ada._id })).toBe(0);
    await eventually(() =>
      expect(
        services.mailbox.mails
          .filter(({ recipients }) => recipients.includes(ada.email))
          .map(({ content }) => content.subject),
      ).toContain('A passkey was removed from your account'),
    );
    expect((await remove(ada, ada.passkey_id)).status).toBe(404);
  });

  test('needs a fresh session, and may be confirmed with the passkey', async () => {
    const ada = await withPasskey(services);
    services.clock.advance(601);
    const stale = await remove(ada, ada.passkey_id);
    expect(stale.body.error.details).toEqual({ methods: ['password', 'passkey'] });
  });

  test('leaves the last way in', async () => {
    const ada = await withoutPassword();
    const refused = await remove(ada, ada.passkey_id);
    expect(outcome(refused)).toEqual(failure(refused, 409, 'LAST_WAY_IN', LAST));
    services.clock.advance(601);
    // A new login confirms where there is no password.
    expect((await remove(ada, ada.passkey_id)).body.error.details).toEqual({ methods: ['login', 'passkey'] });
    expect((await logIn(services, ada.authenticator)).status).toBe(200);
  });

  test('leaves one of two passkeys that are removed at once', async () => {
    const ada = await withoutPassword();
    await register(services, { authorization: ada.authorization }, softwareAuthenticator());
    const ids = (await list(ada)).body.passkeys.map(({ passkey_id }: Owner) => passkey_id);
    const answers = await Promise.all(ids.map((id: string) => remove(ada, id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await list(ada)).body.passkeys).toHaveLength(1);
  });

  test.each([
    ['a link to a provider', ['google:https://accounts.google.com 1'], 200],
    ['a link to a provider that is no longer offered', ['former:https://id.example 1'], 409],
    ['no other way', [], 409],
  ])('with %s', async (_, links, status) => {
    const ada = await withoutPassword();
    await services.db.users.updateOne({ _id: ada._id }, { $set: { links } });
    for (const link of links)
      await services.db.loginNames.replaceOne(
        { _id: link },
        { user_id: String(ada.user_id), email: null, created_at: new Date(0) },
        { upsert: true },
      );
    expect((await remove(ada, ada.passkey_id)).status).toBe(status);
  });
});

describe('single sign-on of an organization', () => {
  let turn = 0;
  const employ = async (options: object = {}) => {
    turn += 1;
    const domain = `passkeys${turn}.example`;
    const organization = await services.newOrganization({ domain: null });
    await services.addDomain(organization.organization_id, domain, options);
    const connection = await services.newConnection(organization, { protocol: 'oidc' });
    return { domain, connection, email: `grace@${domain}` };
  };
  const link = (user_id: string, connection_id: string) =>
    services.db.ssoIdentities.insertOne({
      identity_id: randomUUIDv7(),
      connection_id,
      subject: user_id,
      user_id,
      email: 'grace@example.com',
      created_at: new Date(services.clock.now()),
      updated_at: new Date(services.clock.now()),
    });

  test('is another way in, while its connection is enabled', async () => {
    const { connection, email } = await employ();
    const grace = await withoutPassword({ email });
    await link(grace.user_id as string, connection.connection_id);
    const enable = (enabled: boolean) =>
      services.db.ssoConnections.updateOne(
        { connection_id: connection.connection_id },
        { $set: { enabled } },
      );
    await enable(false);
    expect((await remove(grace, grace.passkey_id)).status).toBe(409);
    await enable(true);
    expect((await remove(grace, grace.passkey_id)).status).toBe(200);
  });

  test('that is required closes the passkey, adds none, and lets it be removed', async () => {
    const { domain, email } = await employ();
    const grace = await withoutPassword({ email });
    expect((await logIn(services, grace.authenticator)).status).toBe(200);
    await services.db.ssoDomains.updateOne({ domain }, { $set: { sso_required: true } });
    const refused = await logIn(services, grace.authenticator);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'SSO_REQUIRED']);
    const options = await sendJson(
      'POST',
      `${services.user}${PATH}/options`,
      {},
      { authorization: grace.authorization },
    );
    expect(options.body.error.code).toBe('SSO_REQUIRED');
    const { body } = await sendJson(
      'POST',
      `${services.login}/api/v1/auth/confirm/passkey/options`,
      {},
      { authorization: grace.authorization },
    );
    const confirmed = await sendJson(
      'POST',
      `${services.login}/api/v1/auth/confirm`,
      { passkey_token: body.passkey_token, credential: grace.authenticator.get(body.options) },
      { authorization: grace.authorization },
    );
    expect(confirmed.body.error.code).toBe('SSO_REQUIRED');
    expect((await remove(grace, grace.passkey_id)).status).toBe(200);
  });

  test.each([
    ['in capital letters', (domain: string) => `grace@${domain.toUpperCase()}`, 403],
    ['below the domain', (domain: string) => `grace@sub.${domain}`, 200],
  ])('that is required decides for an address %s', async (_, addressAt, status) => {
    const { domain } = await employ({ sso_required: true });
    const { authenticator } = await withPasskey(services, {});
    await services.db.users.updateOne({ passkeys: authenticator.id }, { $set: { email: addressAt(domain) } });
    expect((await logIn(services, authenticator)).status).toBe(status);
  });

  test('that becomes required between options and answer adds none', async () => {
    const { domain, email } = await employ();
    const grace = await withoutPassword({ email });
    const { body } = await sendJson(
      'POST',
      `${services.user}${PATH}/options`,
      {},
      { authorization: grace.authorization },
    );
    await services.db.ssoDomains.updateOne({ domain }, { $set: { sso_required: true } });
    const credential = softwareAuthenticator().create(body.options);
    const answer = { passkey_token: body.passkey_token, credential, name: 'Late' };
    const refused = await sendJson('POST', `${services.user}${PATH}`, answer, {
      authorization: grace.authorization,
    });
    expect(refused.body.error.code).toBe('SSO_REQUIRED');
  });
});
