import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failuresAt, outcome } from '../../fixtures/envelope.ts';
import { send, sendJson } from '../../fixtures/http.ts';
import { member } from '../../fixtures/members.ts';
import { type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => services.stop());

type Account = Awaited<ReturnType<typeof member>>;

const newAda = () => member(services.db, services.clock);
const failure = failuresAt(() => services.clock.now());
const put = ({ authorization }: Account, picture: unknown) =>
  sendJson('PUT', `${services.user}/api/v1/users/me/picture`, { picture }, { authorization });
const remove = ({ authorization }: Account) =>
  send(`${services.user}/api/v1/users/me/picture`, { method: 'DELETE', headers: { authorization } });
const read = (path: string) => fetch(services.user + path);
const stored = ({ user_id }: Account) => services.db.pictures.find({ user_id }).toArray();

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type, 'latin1'), data, Buffer.alloc(4)]);
}

/** A PNG; its checksums are zero, which nothing here reads. @param salt makes it differ from others. */
function png(width = 2, height = 2, salt = ''): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from(salt)),
    chunk('IDAT', deflateSync(Buffer.alloc(14))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
const JPEG = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffc0001108000200020301220002110103110100ffd9',
  'hex',
);
const WEBP = Buffer.from('524946461a000000574542505650384c0d0000002f00000010071011118888fe0700', 'hex');

describe('a picture', () => {
  test.each([
    ['image/png', png()],
    ['image/jpeg', JPEG],
    ['image/webp', WEBP],
  ])('of the type %s is stored and served as it is', async (type, bytes) => {
    const ada = await newAda();
    const answer = await put(ada, bytes.toString('base64'));
    expect(answer).toMatchObject({ status: 200, body: { email: ada.email } });
    expect(answer.body.picture).toMatch(/^\/api\/v1\/pictures\/[\w-]{24}$/);
    const served = await read(answer.body.picture);
    expect(Buffer.from(await served.arrayBuffer())).toEqual(bytes);
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
  });

  test('replaces the earlier one, which is no longer served', async () => {
    const ada = await newAda();
    const { picture: first } = (await put(ada, png(2, 2, 'first').toString('base64'))).body;
    const { picture: second } = (await put(ada, png(2, 2, 'second').toString('base64'))).body;
    expect((await read(first)).status).toBe(404);
    expect((await read(second)).status).toBe(200);
    expect(await stored(ada)).toHaveLength(1);
    const { body } = await send(`${services.user}/api/v1/users/me/audit`, {
      headers: { authorization: ada.authorization },
    });
    expect(body.data[0]).toMatchObject({
      action: 'profile.update',
      before: { picture: first },
      after: { picture: second },
    });
  });

  test('is the one that the account names when many are set at once', async () => {
    const ada = await newAda();
    const pictures = Array.from({ length: 8 }, (_, index) => png(2, 2, `${index}`).toString('base64'));
    await Promise.all(pictures.map((picture) => put(ada, picture)));
    const account = await services.db.users.findOne({ user_id: ada.user_id });
    expect((await stored(ada)).map(({ _id }) => _id)).toEqual([account?.picture]);
    expect((await read(`/api/v1/pictures/${account?.picture}`)).status).toBe(200);
  });

  test('that a killed call left is served to nobody and goes with the next one', async () => {
    const ada = await newAda();
    const { picture } = (await put(ada, png().toString('base64'))).body;
    await services.db.users.updateOne({ user_id: ada.user_id }, { $unset: { picture: true } });
    expect((await read(picture)).status).toBe(404);
    services.clock.advance(601);
    const again = await member(services.db, services.clock, {});
    await services.db.pictures.updateMany({ user_id: ada.user_id }, { $set: { user_id: again.user_id } });
    await put(again, png().toString('base64'));
    expect(await stored(again)).toHaveLength(1);
  });

  test('is removed', async () => {
    const ada = await newAda();
    const { picture } = (await put(ada, png().toString('base64'))).body;
    expect(await remove(ada)).toMatchObject({ status: 200, body: { picture: null } });
    expect(await remove(ada)).toMatchObject({ status: 200, body: { picture: null } });
    expect((await read(picture)).status).toBe(404);
    expect(await stored(ada)).toEqual([]);
  });

  test.each([
    ['no Base64', 'not base64!', 'picture must be a string in Base64'],
    ['no string', 7, 'picture must be a string in Base64'],
    ['no image', Buffer.from('hello').toString('base64'), 'picture must be a PNG, JPEG or WebP image'],
    [
      'an SVG, which could hold scripts',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>').toString('base64'),
      'picture must be a PNG, JPEG or WebP image',
    ],
    [
      'a GIF',
      Buffer.from('GIF89a\x02\0\x02\0\0\0\0;', 'latin1').toString('base64'),
      'picture must be a PNG, JPEG or WebP image',
    ],
    [
      'wider than 1024 pixels',
      png(1_025, 1).toString('base64'),
      'picture must be at most 1024 by 1024 pixels',
    ],
    ['an image of no pixels', png(0, 0).toString('base64'), 'picture must be at most 1024 by 1024 pixels'],
    [
      'larger than 100 KiB',
      png(2, 2, 'x'.repeat(102_400)).toString('base64'),
      'picture must be at most 100 KiB',
    ],
  ])('that is %s is refused and changes nothing', async (_, picture, text) => {
    const ada = await newAda();
    const answer = await put(ada, picture);
    expect(outcome(answer)).toStrictEqual(
      failure(answer, 400, 'INVALID_FORMAT', 'The request is malformed', text),
    );
    expect(await stored(ada)).toEqual([]);
  });

  test('of an unknown id is 404, also with hostile ids', async () => {
    for (const id of [
      createHash('sha256').update('x').digest('base64url').slice(0, 24),
      '%24ne',
      'x'.repeat(64),
    ])
      expect((await read(`/api/v1/pictures/${id}`)).status).toBe(404);
  });
});
