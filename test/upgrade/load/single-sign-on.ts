import { atProvider } from '../../practice-idp/at-provider.ts';
import { type Answer, expectStatus } from '../caller.ts';
import type { Context, Load } from './load.ts';

const PEOPLE = ['ada', 'grace', 'linus'];

/** Verifies the domain and connects the practice provider. @returns the token of SCIM. */
export async function connectProvider(
  { cluster, call, practice }: Context,
  {
    owner: { headers },
    organization_id,
  }: { owner: { headers: Record<string, string> }; organization_id: string },
): Promise<{ token: string }> {
  const sso = `${cluster.url('gateway')}/api/v1/sso`;
  const domain = { organization_id, domain: 'practice.test' };
  const { domain_id } = expectStatus(await call(`${sso}/domains`, { headers, json: domain }), 201).body;
  expectStatus(await call(`${sso}/domains/${domain_id}/verify`, { method: 'POST', headers }), 200);
  const connection = { organization_id, ...practice.connection };
  const { connection_id } = expectStatus(
    await call(`${sso}/connections`, { headers, json: connection }),
    201,
  ).body;
  const scim = await call(`${sso}/connections/${connection_id}/scim-token`, { method: 'POST', headers });
  return { token: expectStatus(scim, 201, 200).body.token };
}

/** People who log in by OpenID Connect and refresh. Each keeps one account, and the last session of each lives. */
export function singleSignOn({ cluster, call, practice }: Context): Load {
  const gateway = cluster.url('gateway');
  const accountOf = new Map<string, string>();
  const sessionOf = new Map<string, string>();
  let logins = 0;

  /** A browser that follows redirects. @returns the token, or undefined if a step was cut: the person begins anew. */
  async function logIn(person: string): Promise<string | undefined> {
    const ours = new Map<string, string>();
    const provider = new Map<string, string>();
    let wasCut = false;
    async function visit(url: string, options: Parameters<typeof call>[1] = {}): Promise<Answer> {
      const cookie = [...ours].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await call(url, {
        ...options,
        headers: { accept: 'text/html', ...options.headers, cookie },
      });
      wasCut ||= answer.isRetry;
      for (const line of answer.headers.getSetCookie()) {
        const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
        ours.set(name, value);
      }
      return answer;
    }
    const at = async (url: string, form?: Record<string, string>) =>
      new URL(String((await atProvider(url, form, provider)).headers.get('location')), practice.base).href;
    const begun = expectStatus(await visit(`${gateway}/oauth/login/practice-oidc`), 303);
    const login = await at(String(begun.headers.get('location')));
    const callback = await at(await at(login, { username: person, password: `${person}-practice` }));
    const end = await visit(callback);
    if (end.status !== 303 && wasCut) return undefined;
    const location = new URL(String(expectStatus(end, 303).headers.get('location')), gateway);
    const json = { code: location.hash.replace('#code=', '') };
    const headers = { accept: 'application/json' };
    const exchanged = await visit(`${gateway}/api/v1/auth/sso/exchange`, { headers, json });
    if (exchanged.status !== 200 && wasCut) return undefined;
    return expectStatus(exchanged, 200).body.access_token;
  }
  const profile = (token: string) =>
    call(`${gateway}/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } });

  return {
    async step() {
      const person = PEOPLE[logins % PEOPLE.length] ?? '';
      const token = await logIn(person);
      if (token === undefined) return;
      logins += 1;
      const { user_id } = expectStatus(await profile(token), 200).body;
      if ((accountOf.get(person) ?? user_id) !== user_id) throw new Error(`${person} has two accounts`);
      accountOf.set(person, user_id);
      const refresh = { method: 'POST', headers: { authorization: `Bearer ${token}` } };
      const refreshed = expectStatus(await call(`${gateway}/api/v1/auth/refresh`, refresh), 200);
      sessionOf.set(person, refreshed.body.access_token);
    },
    async verify() {
      for (const [person, token] of sessionOf) {
        const { body } = expectStatus(await profile(token), 200);
        if (body.user_id !== accountOf.get(person)) throw new Error(`${person} has another account`);
      }
      return `${logins} logins by OpenID Connect, ${sessionOf.size} accounts`;
    },
  };
}
