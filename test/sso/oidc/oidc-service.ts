import type { Connection, OidcSettings } from '@gatehouse/sso/connection-records';
import { expect } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { type Answered, postJson, send } from '../../fixtures/http.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';
import { CLIENT_ID, CLIENT_SECRET } from './provider.ts';

/** A browser with its own cookies, which follows no redirects. */
export function newBrowser(service: Pick<SsoService, 'url'>) {
  const cookies = new Map<string, string>();
  async function visit(address: string, headers: Record<string, string>, body?: object): Promise<Answered> {
    const url = new URL(address, 'http://localhost:8000');
    const isOurs = url.origin === 'http://localhost:8000';
    const target = isOurs ? `${service.url}${url.pathname}${url.search}` : url.href;
    const cookie = isOurs ? [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') : '';
    const sent = { ...headers, ...(cookie && { cookie }) };
    const answered =
      body instanceof URLSearchParams
        ? await send(target, { method: 'POST', headers: sent, body })
        : await (body ? postJson(target, body, sent) : send(target, { headers: sent }));
    for (const line of answered.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      if (isOurs) cookies.set(name, value);
    }
    return answered;
  }
  /** @param address a path of the service, an address under PUBLIC_URL, or one of a provider. */
  const open = (address: string, { accept = 'text/html' } = {}) => visit(address, { accept });
  return Object.assign(open, {
    post: (address: string, body: object, headers: Record<string, string> = {}) =>
      visit(address, { accept: 'application/json', ...headers }, body),
    submit: (address: string, form: Record<string, string>) =>
      visit(address, { accept: 'text/html' }, new URLSearchParams(form)),
  });
}

export type Browser = ReturnType<typeof newBrowser>;

export const locationOf = ({ headers }: Answered): string => String(headers.get('location'));

export async function startOidcService(options: Parameters<typeof startSsoService>[0] = {}) {
  const service = await startSsoService({ ...options, env: { LOG_LEVEL: 'warn', ...options.env } });

  /** Stores a connection to a provider. */
  async function connect(
    organization: { organization_id: string },
    { issuer }: { issuer: string },
    { oidc = {}, ...fields }: Partial<Omit<Connection, 'oidc'>> & { oidc?: Partial<OidcSettings> } = {},
  ): Promise<Connection> {
    const connection = await service.newConnection(organization, { protocol: 'oidc', ...fields });
    const { connection_id } = connection;
    const client_secret = service.secrets.seal(CLIENT_SECRET, connection_id);
    const settings = { issuer, client_id: CLIENT_ID, client_secret, ...oidc };
    await service.db.ssoConnections.updateOne({ connection_id }, { $set: { oidc: settings } });
    return { ...connection, oidc: settings };
  }

  /** Begins a login and lets the provider answer. @returns the address to which it sends the browser. */
  async function beginLogin({ slug }: { slug: string }, browser: Browser): Promise<string> {
    const begun = await browser(`/oauth/login/${slug}`);
    expect(begun.status).toBe(303);
    return locationOf(await browser(locationOf(begun)));
  }

  /** Logs in with a browser. @returns the answer of the callback. */
  async function logIn(connection: { slug: string }, browser = newBrowser(service)): Promise<Answered> {
    return browser(await beginLogin(connection, browser));
  }

  /** Logs in. @returns the answer of the callback, or that of the start if it is refused. */
  async function tryLogIn({ slug }: { slug: string }): Promise<Answered> {
    const browser = newBrowser(service);
    const begun = await browser(`/oauth/login/${slug}`);
    return begun.status === 303 ? browser(locationOf(await browser(locationOf(begun)))) : begun;
  }

  /** What a login could have made. */
  const made = () =>
    Promise.all([
      service.db.users.countDocuments(),
      service.db.ssoIdentities.countDocuments(),
      service.db.ssoSessions.countDocuments(),
      service.db.memberships.countDocuments(),
    ]);

  /**
   * Expects that a step is refused in words, on a page with the request id, with a log line and an audit event, and
   * that it makes nothing.
   * @param expected.detail what the operator reads.
   */
  async function expectRefusal(
    step: () => Promise<Answered>,
    {
      status,
      outcome,
      detail,
      text = /\.$/,
    }: { status: number; outcome: string; detail?: RegExp; text?: RegExp },
  ): Promise<void> {
    const before = await made();
    service.logged.length = 0;
    let answered: Answered | undefined;
    const events = await eventsOf(service, async () => {
      answered = await step();
    });
    const { headers, body } = answered as Answered;
    expect({ status: answered?.status, outcomes: events.map((event) => event.outcome) }).toEqual({
      status,
      outcomes: [outcome],
    });
    const [event] = events;
    expect(event?.action).toBe('sso.login');
    if (detail) expect(event?.after?.detail).toMatch(detail);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(body).toContain('<h1>You are not signed in</h1>');
    expect(body).toContain(`request ${event?.request_id}`);
    expect(/<p>([^<]+)<\/p>/.exec(body)?.[1]).toMatch(text);
    const lines = service.logged.map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'single sign-on refused',
        refusal: outcome,
        reqId: event?.request_id,
      }),
    );
    expect(await made()).toEqual(before);
  }

  return { ...service, connect, beginLogin, logIn, tryLogIn, expectRefusal };
}

export type OidcService = Awaited<ReturnType<typeof startOidcService>>;
