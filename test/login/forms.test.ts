import type { User } from '@gatehouse/shared/identity/user-record';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../fixtures/http.ts';
import { type Services, startServices } from '../fixtures/services.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
  const ada = { email: 'ada@example.com', password: 'secret', verified: true, user_id: 'User-100001' };
  await services.db.users.insertOne(ada as unknown as User);
});
afterAll(() => services.stop());

async function post(contentType: string | undefined, body: string | Uint8Array<ArrayBuffer>) {
  const answer = await send(`${services.login}/v2/login`, {
    method: 'POST',
    // A Uint8Array, unlike a string, has no default content type.
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    ...(contentType && { headers: { 'content-type': contentType } }),
  });
  return { status: answer.status, body: answer.body };
}

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';
const part = (name: string, value: string, { file = '', headers = '' } = {}) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${file && `; filename="${file}"`}\r\n${headers}\r\n${value}\r\n`;
const email = part('email', 'ada@example.com');
const password = part('password', 'secret');
const END = '--b--\r\n';

const granted = {
  status: 200,
  body: { message: 'Login successful', token: expect.any(String), user_id: 'User-100001' },
};

describe('valid forms', () => {
  test.each<[string, string, string]>([
    ['urlencoded', URLENCODED, 'email=ada%40example.com&password=secret'],
    ['urlencoded in utf-8', `${URLENCODED}; charset=UTF-8`, 'email=ada@example.com&password=secret'],
    [
      'with unknown fields',
      URLENCODED,
      `password=secret&email=ada%40example.com&verified=false&recaptcha_token=x&$where=1&__proto__=x`,
    ],
    ['multipart', MULTIPART, `${email}${password}${END}`],
    [
      'multipart with typed text parts',
      MULTIPART,
      `${part('email', 'ada@example.com', { headers: 'Content-Type: text/plain; charset=utf-8\r\n' })}${password}${END}`,
    ],
  ])('%s', async (_, contentType, body) => {
    expect(await post(contentType, body)).toStrictEqual(granted);
  });
});

describe('other bodies are 400 and not an attempt', () => {
  const good = 'email=ada%40example.com&password=secret';
  test.each<
    [what: string, contentType: string | undefined, body: string | Uint8Array<ArrayBuffer>, detail: string]
  >([
    [
      'JSON',
      'application/json',
      '{"email":"ada@example.com","password":"secret"}',
      'The request is malformed',
    ],
    ['plain text', 'text/plain', good, 'The request is malformed'],
    ['no content type', undefined, good, 'The request is malformed'],
    ['an invalid content type', 'x', good, 'The request is malformed'],
    ['an empty body', URLENCODED, '', 'email is required'],
    ['another charset', `${URLENCODED}; charset=utf-16`, good, 'The charset utf-16 is not supported'],
    ['no email', URLENCODED, 'password=secret', 'email is required'],
    ['an empty e-mail', URLENCODED, 'email=&password=secret', 'email is required'],
    ['a blank e-mail', URLENCODED, 'email=+%09&password=secret', 'email is required'],
    ['no password', URLENCODED, 'email=ada%40example.com', 'password is required'],
    ['an empty password', URLENCODED, 'email=ada%40example.com&password=', 'password is required'],
    ['a name in another case', URLENCODED, 'Email=ada%40example.com&password=secret', 'email is required'],
    ['email twice', URLENCODED, `${good}&email=x`, 'email is given more than once'],
    ['email twice, once escaped', URLENCODED, `${good}&%65mail=x`, 'email is given more than once'],
    ['password twice, equal', URLENCODED, `${good}&password=secret`, 'password is given more than once'],
    ['an operator', URLENCODED, 'email[$ne]=x&password[$ne]=x', 'email is required'],
    ['an operator, escaped', URLENCODED, 'email%5B%24ne%5D=x&password%5B%24ne%5D=x', 'email is required'],
    ['an array', URLENCODED, 'email[]=ada%40example.com&password=secret', 'email is required'],
    ['a dotted operator', URLENCODED, 'email.$gt=&password=secret', 'email is required'],
    [
      'an operator on the password',
      URLENCODED,
      'email=ada%40example.com&password[$ne]=x',
      'password is required',
    ],
    [
      'a malformed escape',
      URLENCODED,
      'email=%zz&password=secret',
      'The form has a malformed percent-encoding',
    ],
    [
      'an escape that is not UTF-8',
      URLENCODED,
      'email=%ff&password=x',
      'The form has a malformed percent-encoding',
    ],
    [
      'an overlong escape',
      URLENCODED,
      'email=%c0%ae&password=x',
      'The form has a malformed percent-encoding',
    ],
    ['bytes that are not UTF-8', URLENCODED, Uint8Array.of(0x65, 0x3d, 0xff), 'The form is not UTF-8'],
    ['more than 64 KiB', URLENCODED, `${good}&x=${'x'.repeat(65_536)}`, 'The form is too large'],
    ['far more than 64 KiB', URLENCODED, `${good}&x=${'x'.repeat(300_000)}`, 'The form is too large'],
    [
      '101 fields',
      URLENCODED,
      `${good}${'&'.concat('x')}${Array.from({ length: 98 }, (_, i) => `&x${i}=`).join('')}&y=`,
      'The form is too large',
    ],
    [
      'multipart without a boundary',
      'multipart/form-data',
      `${email}${password}${END}`,
      'The request is malformed',
    ],
    [
      'multipart with another boundary',
      'multipart/form-data; boundary=c',
      `${email}${password}${END}`,
      'The request is malformed',
    ],
    ['multipart without its end', MULTIPART, `${email}${password}`, 'The request is malformed'],
    ['multipart cut off in a header', MULTIPART, `${email}--b\r\nContent-Dispo`, 'The request is malformed'],
    ['an empty multipart', MULTIPART, '', 'email is required'],
    ['multipart without fields', MULTIPART, END, 'email is required'],
    [
      'multipart/mixed',
      'multipart/mixed; boundary=b',
      `${email}${password}${END}`,
      'The request is malformed',
    ],
    [
      'a field twice in multipart',
      MULTIPART,
      `${email}${password}${email}${END}`,
      'email is given more than once',
    ],
    [
      'a file',
      MULTIPART,
      `${email}${part('password', 'secret', { file: 'secret.txt' })}${END}`,
      'password must be a field, not a file',
    ],
    [
      'a file without a name',
      MULTIPART,
      `${email}--b\r\nContent-Disposition: form-data; name="password"; filename=""\r\n\r\nsecret\r\n${END}`,
      'password must be a field, not a file',
    ],
    [
      'a part of JSON',
      MULTIPART,
      `${email}${part('password', '{"$ne":""}', { headers: 'Content-Type: application/json\r\n' })}${END}`,
      'password must be text, not JSON',
    ],
    [
      'a part in base64',
      MULTIPART,
      `${email}${part('password', 'c2VjcmV0', { headers: 'Content-Transfer-Encoding: base64\r\n' })}${END}`,
      'password has an unsupported encoding',
    ],
    [
      'a part without a name',
      MULTIPART,
      `${email}${password}--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n${END}`,
      'The form has a part without a name',
    ],
    [
      'a part that is not UTF-8',
      MULTIPART,
      Uint8Array.from(
        Buffer.concat([
          Buffer.from(`${email}${part('password', '').slice(0, -2)}`),
          Buffer.of(0xff),
          Buffer.from(`\r\n${END}`),
        ]),
      ),
      'password is not UTF-8',
    ],
    [
      'a part of more than 64 KiB',
      MULTIPART,
      `${email}${part('password', 'x'.repeat(70_000))}${END}`,
      'The form is too large',
    ],
  ])('%s', async (_, contentType, body, detail) => {
    const before = await services.db.auditEvents.countDocuments();
    expect(await post(contentType, body)).toStrictEqual({ status: 400, body: { detail } });
    expect(await services.db.auditEvents.countDocuments()).toBe(before);
  });
});
