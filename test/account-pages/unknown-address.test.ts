import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway } from '../fixtures/gateway.ts';
import { exchange } from '../gateway/platform.ts';

/** What Chromium sends for an address that somebody opens. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway({
    env: {
      BRAND_NAME: 'Müller & Sons',
      BRAND_COLOR: '#aa3300',
      BRAND_LOGO_URL: 'https://cdn.example/logo.svg',
      USER_SERVICE_URL: 'http://127.0.0.1:1',
    },
  });
});
afterAll(() => gateway.stop());

const open = (path: string, headers: Record<string, string> = {}) =>
  exchange(`${gateway.url}${path}`, { headers: { accept: BROWSER, ...headers } });

describe('an unknown address', () => {
  test.each([
    ['en-US,en;q=0.9', 'This page does not exist', 'To the start page'],
    ['de-DE,de;q=0.9', 'Diese Seite gibt es nicht', 'Zur Startseite'],
  ])('is a branded page for a reader of %s', async (language, heading, way) => {
    const { status, headers, body } = await open('/nothing', { 'accept-language': language });
    const html = body.toString();
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      404,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(html).toContain(`<html lang="${language.slice(0, 2)}">`);
    expect(html).toContain(`<h1>${heading}</h1>`);
    expect(html).toContain(`<a href="/">${way}</a>`);
    expect(html).toContain('Müller &amp; Sons');
    expect(html).toContain('prefers-color-scheme: dark');
    expect(html).toContain(headers['x-request-id']);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; img-src https:\/\/cdn\.example;/,
    );
  });

  test.each([
    ['application/json'],
    ['*/*'],
    [''],
    ['application/json, text/html'],
    ['text/html;q=0.5, application/json'],
    ['text/html;q=0'],
  ])('is JSON for a client that accepts "%s"', async (accept) => {
    const { status, headers, body } = await open('/nothing', { accept });
    expect([status, headers['content-type']]).toEqual([401, 'application/json; charset=utf-8']);
    expect(JSON.parse(body.toString())).toMatchObject({ error: { details: 'No authorization header' } });
  });

  test('is JSON for a call that opens no page', async () => {
    const answer = await exchange(`${gateway.url}/nothing`, { method: 'POST', headers: { accept: BROWSER } });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });
});

test('a failed single sign-on speaks the language of its reader', async () => {
  const { status, body } = await open('/oauth/callback?code=a', { 'accept-language': 'de' });
  expect(status).toBe(503);
  expect(body.toString()).toContain('<h1>Sie sind nicht angemeldet</h1>');
  expect(body.toString()).toContain('Der Dienst ist nicht erreichbar.');
  expect(body.toString()).toContain('<a href="/">Zur Anmeldung</a>');
});
