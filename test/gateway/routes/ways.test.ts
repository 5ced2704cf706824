import { expect, onTestFinished, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { startGateway } from '../../fixtures/gateway.ts';
import { send } from '../../fixtures/http.ts';

async function waysWith(env: NodeJS.ProcessEnv, headers = {}) {
  const gateway = await startGateway({ env });
  onTestFinished(gateway.stop);
  const answer = await send(`${gateway.url}/api/v1/auth/ways`, { headers });
  const page = await (await fetch(`${gateway.url}/login`)).text();
  const config = /<meta name="gatehouse" content="([^"]*)">/.exec(page)?.[1] ?? '';
  return { answer, config: JSON.parse(config.replaceAll('&quot;', '"').replaceAll('&#34;', '"')) };
}

test('by default there are passwords and passkeys', async () => {
  const { answer, config } = await waysWith({});
  const ways = { password: true, passkey: true, code: false, providers: [], sign_in: 'password' };
  expect(outcome(answer)).toStrictEqual({ status: 200, body: ways });
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
  expect(config.ways).toStrictEqual(ways);
});

test('the settings turn the others on, for pages of one’s own and for the account pages', async () => {
  const { answer, config } = await waysWith({
    LOGIN_BY_CODE: 'on',
    SIGN_IN_FORM: 'email-first',
    PUBLIC_URL: 'https://accounts.example.com/',
    SOCIAL_PROVIDERS: 'github,google',
    SOCIAL_GOOGLE_LABEL: 'Google & Co',
  });
  const login = 'https://accounts.example.com/social';
  expect(outcome(answer)).toStrictEqual({
    status: 200,
    body: {
      password: true,
      passkey: true,
      code: true,
      providers: [
        { name: 'github', label: 'GitHub', login_url: `${login}/github/login` },
        { name: 'google', label: 'Google & Co', login_url: `${login}/google/login` },
      ],
      sign_in: 'email-first',
    },
  });
  expect(config.ways.sign_in).toBe('email-first');
});

test('there are no passkeys at an address where browsers offer none', async () => {
  const { answer } = await waysWith({ PUBLIC_URL: 'http://192.0.2.1:8000' });
  expect(answer.body.passkey).toBe(false);
});

test('a bearer, good or not, changes nothing', async () => {
  const { answer } = await waysWith({}, { authorization: 'Bearer forged' });
  expect(answer.status).toBe(200);
});
