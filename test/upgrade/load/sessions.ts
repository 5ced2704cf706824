import { expectStatus } from '../caller.ts';
import { PASSWORD, signUp } from './accounts.ts';
import type { Context, Load } from './load.ts';

/** Logs in, refreshes, and ends every second session. Sessions that were ended stay ended; the others live. */
export async function sessions(context: Context): Promise<Load> {
  const { cluster, call } = context;
  const gateway = (path: string) => `${cluster.url('gateway')}${path}`;
  const { email } = await signUp(context, 'sessions@example.com');
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const profile = (token: string) => call(gateway('/api/v1/users/me'), { headers: bearer(token) });
  const live: string[] = [];
  const ended: string[] = [];
  return {
    async step() {
      const json = { email, password: PASSWORD };
      let token: string = expectStatus(await call(gateway('/api/v1/auth/login'), { json }), 200).body
        .access_token;
      for (let i = 0; i < 3; i += 1) {
        const refresh = { method: 'POST', headers: bearer(token) };
        token = expectStatus(await call(gateway('/auth/refresh'), refresh), 200).body.access_token;
        expectStatus(await profile(token), 200);
      }
      if (live.length > ended.length) {
        const logout = await call(gateway('/auth/logout'), { method: 'POST', headers: bearer(token) });
        // The answer to an earlier try that ended the session was cut.
        if (!(logout.isRetry && logout.status === 401)) expectStatus(logout, 200);
        ended.push(token);
      } else live.push(token);
    },
    async verify() {
      for (const token of live) expectStatus(await profile(token), 200);
      for (const token of ended) expectStatus(await profile(token), 401);
      return `${live.length} sessions live, ${ended.length} are over`;
    },
  };
}
