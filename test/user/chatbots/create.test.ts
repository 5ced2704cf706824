import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { send } from '../../fixtures/http.ts';
import { forbidden, malformed, missing, noBearer } from '../access/failures.ts';
import { RECEPTIONIST } from './chatbot-service.ts';
import { ada, service, withChatbots, withPeople } from './with-chatbots.ts';

withChatbots();
withPeople();

const create = (body: unknown) => ada.call('POST', '/create', body);
const count = () => service.db.chatbots.countDocuments();

describe('POST /api/v1/chatbots/create', () => {
  test('answers 201 with the record, and stores it', async () => {
    const answer = await create(RECEPTIONIST);
    const at = new Date(service.clock.now()).toISOString();
    const chatbot = {
      ...RECEPTIONIST,
      chatbot_id: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      status: 'active',
      owner_id: ada.user_id,
      organization_id: null,
      department_id: null,
      created_at: at,
      updated_at: at,
    };
    expect(outcome(answer)).toStrictEqual({ status: 201, body: chatbot });
    expect(await service.storedChatbot(answer.body.chatbot_id)).toStrictEqual(answer.body);
  });

  test.each(['3d', 'text', 'voice'] as const)('accepts the type %s', async (type) => {
    expect((await ada.create({ type })).type).toBe(type);
  });

  test.each(['en', 'en-us', 'zh-Hant-TW', 'de-CH-1996', 'es-419', 'iw', 'sl-rozaj-biske'])(
    'keeps the spelling of the language %s',
    async (language) => {
      expect((await ada.create({ language })).language).toBe(language);
    },
  );

  test.each([
    ['trimmed', '  Front desk\t', 'Front desk'],
    ['one character', 'x', 'x'],
    ['200 characters', 'x'.repeat(200), 'x'.repeat(200)],
    ['200 characters of two units each', '🤖'.repeat(200), '🤖'.repeat(200)],
    ['markup and operators', '<b>$where {"$ne":1} .*</b>', '<b>$where {"$ne":1} .*</b>'],
    ['a family joined by zero-width joiners', '👩‍👩‍👧', '👩‍👩‍👧'],
  ])('accepts a name: %s', async (_what, name, stored) => {
    const chatbot = await ada.create({ name });
    expect(chatbot.name).toBe(stored);
    expect((await service.storedChatbot(chatbot.chatbot_id))?.name).toBe(stored);
  });

  test('ignores unknown and read-only fields', async () => {
    const { status, body } = await create({
      ...RECEPTIONIST,
      chatbot_id: 'mine',
      _id: 'mine',
      owner_id: 'User-999999',
      organization_id: 'org',
      status: 'paused',
      created_at: '1970-01-01T00:00:00.000Z',
      constructor: 'mine',
      $set: { owner_id: 'User-999999' },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'active', owner_id: ada.user_id, organization_id: null });
    expect(body.chatbot_id).not.toBe('mine');
    expect(await service.storedChatbot(body.chatbot_id)).toStrictEqual(body);
  });

  test.each(['name', 'type', 'avatar_id', 'language'])('%s is required', async (field) => {
    const before = await count();
    expect(outcome(await create({ ...RECEPTIONIST, [field]: undefined }))).toStrictEqual(
      missing(`${field} is required`, service.clock),
    );
    expect(await count()).toBe(before);
  });

  const name = 'name must be a single line of 1 to 200 characters';
  const tag = 'language must be a language tag such as en or pt-BR (BCP 47)';
  test.each([
    [{ name: '' }, name],
    [{ name: ' \t ' }, name],
    [{ name: 'x'.repeat(201) }, name],
    [{ name: '🤖'.repeat(201) }, name],
    [{ name: 'a\u0000b' }, name],
    [{ name: 'a\nb' }, name],
    [{ name: 'a\u2028b' }, name],
    [{ name: 'a\ud800b' }, name],
    [{ name: 'abc\u202efdp.exe' }, name],
    [{ name: '\u200b\u200d' }, 'name must contain a visible character'],
    [{ name: null }, 'name must be a string'],
    [{ name: 7 }, 'name must be a string'],
    [{ name: ['Receptionist'] }, 'name must be a string'],
    [{ name: { $ne: null } }, 'name must be a string'],
    [{ type: '3D' }, 'type must be one of 3d, text, voice'],
    [{ type: '' }, 'type must be one of 3d, text, voice'],
    [{ type: '__proto__' }, 'type must be one of 3d, text, voice'],
    [{ type: ['3d'] }, 'type must be one of 3d, text, voice'],
    [{ type: null }, 'type must be one of 3d, text, voice'],
    [{ avatar_id: '' }, 'avatar_id must be a single line of 1 to 200 characters'],
    [{ avatar_id: 'x'.repeat(201) }, 'avatar_id must be a single line of 1 to 200 characters'],
    [{ avatar_id: 7 }, 'avatar_id must be a string'],
    [{ language: '' }, 'language must be a single line of 1 to 100 characters'],
    [{ language: 'english language' }, tag],
    [{ language: 'en_GB' }, tag],
    [{ language: 'e' }, tag],
    [{ language: 'en-' }, tag],
    [{ language: 'x'.repeat(101) }, 'language must be a single line of 1 to 100 characters'],
    [{ language: ['en', 'de'] }, 'language must be a string'],
  ])('refuses %j and writes nothing', async (fields, details) => {
    const before = await count();
    expect(outcome(await create({ ...RECEPTIONIST, ...fields }))).toStrictEqual(
      malformed(details, service.clock),
    );
    expect(await count()).toBe(before);
  });

  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const fields = JSON.stringify(RECEPTIONIST).slice(1, -1);
  test.each([
    ['plain text', 'receptionist'],
    ['truncated JSON', `{${fields}`],
    ['JSON with a trailing comma', `{${fields},}`],
    ['an array', `[{${fields}}]`],
    ['a number', '7'],
    ['arrays nested 100,000 levels deep', deep],
    ['a name nested 100,000 levels deep', `{${fields},"name":${deep}}`],
    ['a __proto__ key', `{${fields},"__proto__":{"status":"paused"}}`],
    ['a constructor.prototype key', `{${fields},"constructor":{"prototype":{"status":"paused"}}}`],
    ['form fields', 'name=Receptionist&type=3d'],
  ])('refuses a body of %s and writes nothing', async (_what, body) => {
    const before = await count();
    expect(outcome(await create(body))).toStrictEqual(malformed(expect.any(String), service.clock));
    expect(await count()).toBe(before);
  });

  test('reports an empty body as missing and writes nothing', async () => {
    const before = await count();
    expect(outcome(await create(''))).toStrictEqual(missing('body is required', service.clock));
    expect(await count()).toBe(before);
  });

  test('ignores an unknown field nested 100,000 levels deep', async () => {
    expect((await create(`{${fields},"more":${deep}}`)).status).toBe(201);
    const objects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expect(outcome(await create(objects))).toStrictEqual(missing('name is required', service.clock));
  });

  test('requires a body of the type application/json', async () => {
    for (const body of [undefined, 'null'])
      expect(outcome(await create(body))).toStrictEqual(missing('body is required', service.clock));
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'x']) {
      const answer = await send(`${service.url}/api/v1/chatbots/create`, {
        method: 'POST',
        headers: { authorization: ada.authorization, 'content-type': type },
        body: JSON.stringify(RECEPTIONIST),
      });
      expect(outcome(answer), type).toStrictEqual(malformed(expect.any(String), service.clock));
    }
  });

  test.each([true, false])('refuses more than 1 MiB (content-length sent: %s)', async (declared) => {
    const before = await count();
    const body = JSON.stringify({ ...RECEPTIONIST, more: 'x'.repeat(1024 * 1024) });
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(`${service.url}/api/v1/chatbots/create`, {
        method: 'POST',
        headers: {
          authorization: ada.authorization,
          'content-type': 'application/json',
          ...(declared && { 'content-length': body.length }),
        },
      });
      request.once('response', (response) => resolve(response.resume().statusCode));
      request.once('error', reject);
      request.write(body.slice(0, 600_000));
      request.end(body.slice(600_000));
    });
    expect(status).toBe(400);
    expect(await count()).toBe(before);
  });

  test('requires the bearer of an account with a user_id', async () => {
    const before = await count();
    const anonymous = await send(`${service.url}/api/v1/chatbots/create`, { method: 'POST' });
    expect(outcome(anonymous)).toStrictEqual(noBearer(service.clock));
    const nameless = await service.newPerson({ user_id: null });
    expect(outcome(await nameless.call('POST', '/create', RECEPTIONIST))).toStrictEqual(
      forbidden(service.clock),
    );
    expect(await count()).toBe(before);
  });

  test('twenty concurrent calls create twenty chatbots', async () => {
    const created = await Promise.all(Array.from({ length: 20 }, () => ada.create()));
    expect(new Set(created.map(({ chatbot_id }) => chatbot_id)).size).toBe(20);
    expect((await ada.list()).body.pagination.total_items).toBe(20);
  });
});
