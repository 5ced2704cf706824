import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { type Bend, softwareAuthenticator } from '../../fixtures/authenticator.ts';
import { failuresAt, outcome, rateLimited } from '../../fixtures/envelope.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { postJson } from '../../fixtures/http.ts';
import { bearerOf, member } from '../../fixtures/members.ts';
import { createOptions, logIn, loginOptions, register } from '../../fixtures/passkeys.ts';
import { startTwoInstances, type TwoInstances } from '../instances.ts';

let services: TwoInstances;
beforeAll(async () => {
  services = await startTwoInstances();
});
afterAll(() => services.stop());

const failure = failuresAt(() => services.clock.now());
const newCaller = async (fields = {}) => {
  const user = await member(services.db, services.clock, fields);
  return { ...user, caller: { authorization: user.authorization } };
};
const present = (caller: object, body: object, url = services.user) =>
  postJson(`${url}/api/v1/users/me/passkeys`, { name: 'Phone', ...body }, { ...caller });
const stored = ({ _id }: { _id: unknown }) => services.db.users.findOne({ _id: _id as never });
const count = (account: unknown) => services.db.passkeys.countDocuments({ account: account as never });

describe('the options of a registration', () => {
  test('ask for a discoverable passkey of a verified person, under a handle that is not the user_id', async () => {
    const { caller, email } = await newCaller();
    const answer = await createOptions(services, caller);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body.options).toEqual({
      rp: { id: 'localhost', name: 'Gatehouse' },
      user: { id: expect.stringMatching(/^[\w-]{43}$/), name: email, displayName: 'Ada' },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
      timeout: 120_000,
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      extensions: { credProps: true },
      hints: [],
    });
  });

  test('name the passkeys that the account has, and keep its handle', async () => {
    const { caller } = await newCaller();
    const authenticator = softwareAuthenticator();
    const first = (await createOptions(services, caller)).body.options.user.id;
    await register(services, caller, authenticator);
    const [second, third] = [await createOptions(services, caller), await createOptions(services, caller)];
    expect(second.body.options.excludeCredentials).toEqual([
      { id: authenticator.id, type: 'public-key', transports: ['hybrid', 'internal'] },
    ]);
    expect(second.body.options.user.id).toBe(third.body.options.user.id);
    expect(second.body.options.user.id).not.toBe(first);
  });

  test('and the registration need a fresh session', async () => {
    const { caller } = await newCaller();
    const { body } = await createOptions(services, caller);
    services.clock.advance(601);
    const stale = await createOptions(services, caller);
    expect(outcome(stale)).toEqual(
      failure(stale, 403, 'CONFIRMATION_REQUIRED', 'Please confirm that it is you', {
        methods: ['password'],
      }),
    );
    const credential = softwareAuthenticator().create(body.options);
    expect((await present(caller, { passkey_token: body.passkey_token, credential })).status).toBe(403);
  });
});

describe('a new passkey', () => {
  test('is answered, audited and told by mail', async () => {
    const ada = await newCaller();
    const authenticator = softwareAuthenticator({ aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349' });
    let body: { passkey_id?: string } = {};
    const events = await eventsOf(services, async () => {
      const answer = await register(services, ada.caller, authenticator);
      body = answer.body;
      expect(outcome(answer)).toEqual({
        status: 201,
        body: {
          passkey_id: expect.any(String),
          name: 'Phone',
          device_family: 'synced',
          provider: 'Bitwarden',
          created_at: new Date(services.clock.now()).toISOString(),
          last_used_at: null,
        },
      });
    });
    expect(events).toEqual([
      auditEvent(services.clock.now(), {
        action: 'passkey.add',
        user_id: ada.user_id,
        email: ada.email.toLowerCase(),
        after: { name: 'Phone' },
      }),
    ]);
    expect(await services.db.passkeys.findOne({ _id: authenticator.id })).toEqual({
      _id: authenticator.id,
      passkey_id: body.passkey_id,
      account: ada._id,
      name: 'Phone',
      public_key: authenticator.publicKey,
      counter: 0,
      synced: true,
      aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349',
      transports: ['hybrid', 'internal'],
      created_at: new Date(services.clock.now()),
    });
    await eventually(() =>
      expect(
        services.mailbox.mails
          .filter(({ recipients }) => recipients.includes(ada.email))
          .map(({ content }) => content.subject),
      ).toEqual(['Your account has a new passkey']),
    );
  });

  test.each([
    [{ synced: false, transports: ['usb', 'nfc'] }, 'security_key'],
    [{ synced: false, transports: ['internal'] }, 'device'],
    [{ synced: false, transports: [] }, 'device'],
    [{ synced: true, transports: ['usb', 'teleport'] }, 'synced'],
  ])('with %j is of the family %s', async (options, device_family) => {
    const { caller } = await newCaller();
    const { body } = await register(services, caller, softwareAuthenticator(options));
    expect(body).toMatchObject({ device_family, provider: null });
  });

  test('may sign its own attestation', async () => {
    const { caller } = await newCaller();
    const packed = (bend: Bend = {}) =>
      register(services, caller, softwareAuthenticator(), { bend: { format: 'packed', ...bend } });
    expect((await packed({ signature: Buffer.from('wrong') })).status).toBe(401);
    expect((await packed()).status).toBe(201);
  });
});

describe('a registration refuses', () => {
  const certified = new Map([
    ['alg', -7],
    ['sig', Buffer.alloc(70)],
    ['x5c', [Buffer.alloc(300)]],
  ] as [string, never][]);
  const nested = Buffer.concat([Buffer.alloc(40_000, 0x81), Buffer.from([0])]);
  const wrongs: [string, Bend][] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['another RP ID', { rpId: 'evil.example' }],
    ['another challenge', { challenge: randomBytes(32).toString('base64url') }],
    ['the type of a login', { type: 'webauthn.get' }],
    ['a person who was not there', { flip: ['up'] }],
    ['a person who was not verified', { flip: ['uv'] }],
    ['a backup of what cannot be backed up', { flip: ['be'] }],
    ['a key that is not announced', { flip: ['at'] }],
    ['extensions that do not follow', { flip: ['ed'] }],
    ['a page inside one of another site', { clientData: { crossOrigin: true } }],
    ['a page inside a named one', { clientData: { topOrigin: 'https://evil.example' } }],
    ['the id of another passkey', { id: randomBytes(16).toString('base64url') }],
    ['an attestation of certificates', { format: 'packed', statement: certified }],
    ['an attestation of a TPM', { format: 'tpm', statement: certified }],
    ['an attestation of FIDO U2F', { format: 'fido-u2f', statement: certified }],
    ['an unknown attestation', { format: 'trust-me' }],
    ['a statement where none belongs', { statement: new Map([['sig', Buffer.alloc(8)]]) }],
    ['random CBOR', { raw: randomBytes(200) }],
    ['an empty attestation', { raw: Buffer.from([0xa0]) }],
    ['CBOR with more items than bytes', { raw: Buffer.from('9affffffff00', 'hex') }],
    ['CBOR that is nested 40,000 times', { raw: nested }],
  ];

  test.each(wrongs)('%s', async (_, bend) => {
    const { caller, _id } = await newCaller();
    const refused = await register(services, caller, softwareAuthenticator(), { bend });
    expect(outcome(refused)).toEqual(
      failure(refused, 401, 'INVALID_CREDENTIALS', 'The passkey was not accepted'),
    );
    expect([await count(_id), (await stored({ _id }))?.passkeys]).toEqual([0, undefined]);
  });

  test('an algorithm that was not offered', async () => {
    const { caller } = await newCaller();
    const refused = await register(services, caller, softwareAuthenticator({ algorithm: -35 }));
    expect(refused.status).toBe(401);
  });

  test.each([
    [15, 401],
    [1_024, 400],
  ])('a credential id of %i bytes', async (size, status) => {
    const { caller } = await newCaller();
    const refused = await register(services, caller, softwareAuthenticator({ id: randomBytes(size) }));
    expect(refused.status).toBe(status);
  });

  test('a body of a mebibyte, before it is read', async () => {
    const { caller } = await newCaller();
    const { body } = await createOptions(services, caller);
    const credential = softwareAuthenticator().create(body.options, { raw: Buffer.alloc(750_000) });
    const { status } = await present(caller, { passkey_token: body.passkey_token, credential });
    expect(status).toBe(400);
  });

  test('a passkey that exists, in any account, also twice at once', async () => {
    const [ada, eve] = [await newCaller(), await newCaller()];
    const authenticator = softwareAuthenticator();
    const bodyFor = async ({ caller }: typeof ada) => {
      const { body } = await createOptions(services, caller);
      return { passkey_token: body.passkey_token, credential: authenticator.create(body.options) };
    };
    const bodies = [await bodyFor(ada), await bodyFor(eve)];
    const answers = await Promise.all(
      [ada, eve].map(({ caller }, turn) => present(caller, bodies[turn] as object, services.instances[turn])),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const owners = await services.db.users.countDocuments({ passkeys: authenticator.id });
    expect([owners, await services.db.passkeys.countDocuments({ _id: authenticator.id })]).toEqual([1, 1]);
    const again = await present(ada.caller, await bodyFor(ada));
    expect(outcome(again)).toEqual(
      failure(
        again,
        409,
        'DUPLICATE_RESOURCE',
        'Resource already exists',
        'This passkey is registered already',
      ),
    );
  });

  test('the same answer twice, also at once at two processes', async () => {
    const { caller, _id } = await newCaller();
    const { body } = await createOptions(services, caller);
    const credential = softwareAuthenticator().create(body.options);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, turn) =>
        present(caller, { passkey_token: body.passkey_token, credential }, services.instances[turn % 2]),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(5).fill(400)]);
    expect([await count(_id), (await stored({ _id }))?.passkeys?.length]).toEqual([1, 1]);
  });

  test('two first passkeys of one account under two handles', async () => {
    const { caller, _id } = await newCaller();
    const [one, other] = [await createOptions(services, caller), await createOptions(services, caller)];
    const [first, second] = await Promise.all(
      [one, other].map(({ body }) =>
        present(caller, {
          passkey_token: body.passkey_token,
          credential: softwareAuthenticator().create(body.options),
        }),
      ),
    );
    expect([first?.status, second?.status].toSorted()).toEqual([201, 400]);
    expect(await count(_id)).toBe(1);
  });

  test('the ceremony of another session, another account, another purpose, or one that has expired', async () => {
    const [ada, eve] = [await newCaller(), await newCaller()];
    const expired = (answer: Awaited<ReturnType<typeof present>>) =>
      expect(outcome(answer)).toEqual(
        failure(answer, 400, 'INVALID_FORMAT', 'The request for a passkey has expired, please try again'),
      );
    const { body } = await createOptions(services, ada.caller);
    const credential = softwareAuthenticator().create(body.options);
    const { passkey_token } = body;
    expired(await present(eve.caller, { passkey_token, credential }));
    const elsewhere = { authorization: bearerOf(ada, services.clock.now()) };
    expired(await present(elsewhere, { passkey_token, credential }));
    const login = await loginOptions(services);
    const create = { challenge: login.options.challenge, user: body.options.user };
    const forLogin = softwareAuthenticator().create(create);
    expired(await present(ada.caller, { passkey_token: login.passkey_token, credential: forLogin }));
    services.clock.advance(120);
    expired(await present(ada.caller, { passkey_token, credential }));
  });

  test('more than twenty', async () => {
    const { caller, _id } = await newCaller();
    const passkeys = Array.from({ length: 19 }, () => randomBytes(16).toString('base64url'));
    await services.db.users.updateOne({ _id }, { $set: { passkeys } });
    const [one, other] = [await createOptions(services, caller), await createOptions(services, caller)];
    const tooMany = 'The account has 20 passkeys. Please remove one first.';
    const answers = [];
    for (const { body } of [
      one,
      { body: { ...other.body, options: { ...other.body.options, user: one.body.options.user } } },
    ])
      answers.push(
        await present(caller, {
          passkey_token: body.passkey_token,
          credential: softwareAuthenticator().create(body.options),
        }),
      );
    expect(answers[0]?.status).toBe(201);
    expect(answers[1]?.status).toBe(400);
    const full = await createOptions(services, caller);
    expect(outcome(full)).toEqual(
      failure(full, 409, 'DUPLICATE_RESOURCE', 'Resource already exists', tooMany),
    );
    // Between the options and the answer, another one took the last place.
    await services.db.users.updateOne({ _id }, { $set: { passkeys } });
    const { body } = await createOptions(services, caller);
    await services.db.users.updateOne({ _id }, { $push: { passkeys: 'the-twentieth' } });
    const late = await present(caller, {
      passkey_token: body.passkey_token,
      credential: softwareAuthenticator().create(body.options),
    });
    expect(outcome(late)).toEqual(
      failure(late, 409, 'DUPLICATE_RESOURCE', 'Resource already exists', tooMany),
    );
  });

  test('more than ten in an hour', async () => {
    const { caller } = await newCaller();
    const add = () => register(services, caller, softwareAuthenticator());
    for (let turn = 0; turn < 10; turn += 1) expect((await add()).status).toBe(201);
    expect(outcome(await add())).toEqual(rateLimited(10, 3_600, services.clock.now()));
  });

  test('a session that ends during the call', async () => {
    const { caller, _id } = await newCaller();
    const { body } = await createOptions(services, caller);
    const insert = services.db.passkeys.insertOne.bind(services.db.passkeys);
    vi.spyOn(services.db.passkeys, 'insertOne').mockImplementationOnce(async (...call) => {
      const sessions_valid_from = new Date(services.clock.now());
      await services.db.users.updateOne({ _id }, { $set: { sessions_valid_from } });
      return insert(...call);
    });
    const answer = await present(caller, {
      passkey_token: body.passkey_token,
      credential: softwareAuthenticator().create(body.options),
    });
    expect(outcome(answer)).toEqual(failure(answer, 401, 'INVALID_TOKEN', 'Invalid token'));
    expect([await count(_id), (await stored({ _id }))?.passkeys]).toEqual([0, undefined]);
  });
});

test('a passkey left by a kill opens nothing, and the next registration deletes it', async () => {
  const { caller, _id } = await newCaller();
  const { body } = await createOptions(services, caller);
  const authenticator = softwareAuthenticator();
  const left = vi.spyOn(services.db.users, 'updateOne').mockRejectedValueOnce(new Error('killed'));
  const broken = await present(caller, {
    passkey_token: body.passkey_token,
    credential: authenticator.create(body.options),
  });
  left.mockRestore();
  expect(broken.status).toBe(500);
  expect(await count(_id)).toBe(1);
  expect((await logIn(services, authenticator)).status).toBe(401);
  services.clock.advance(601);
  const later = {
    authorization: bearerOf((await services.db.users.findOne({ _id })) as never, services.clock.now()),
  };
  expect((await register(services, later, softwareAuthenticator())).status).toBe(201);
  expect(await count(_id)).toBe(1);
});
