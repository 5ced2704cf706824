import { createTokens } from '@gatehouse/shared/identity/tokens';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { Profile } from '@gatehouse/sso/profile';
import Fastify from 'fastify';
import { finishBrowserLogin } from '../../../packages/sso/login/finish.ts';
import { beginFlow, takeFlow } from '../../../packages/sso/login/flow.ts';
import { send } from '../../fixtures/http.ts';
import { listen, testConfig } from '../../fixtures/services.ts';
import { GRACE } from '../../user/provisioning/provisioner.ts';
import { hostOf } from '../host.ts';
import type { SsoService } from '../sso-service.ts';

/** What the provider says at the end of a login. */
interface Answer {
  profile?: Partial<Profile>;
  provider_sid?: string;
}

/** Starts a server whose routes begin and end browser logins, as those of a protocol do, without a provider. */
export async function startBrowserLogins(
  { db, clock }: Pick<SsoService, 'db' | 'clock'>,
  env: NodeJS.ProcessEnv = {},
) {
  const config = testConfig('user', env);
  const tokens = createTokens(config);
  const options = { config, db, host: hostOf(db, clock.now), tokens, now: clock.now };
  const app = Fastify();
  let connection: Connection;
  let answer: Answer;
  app.get('/begin', (request, reply) => beginFlow(options, request, reply, connection, {}));
  app.get<{ Querystring: { state?: string } }>('/finish', async (request, reply) => {
    const { state } = request.query;
    const flow = state === undefined ? undefined : await takeFlow(options, state);
    const { profile, provider_sid } = answer;
    return finishBrowserLogin(options, request, reply, connection, {
      ...(flow && { flow }),
      profile: { ...GRACE, ...profile },
      session: provider_sid === undefined ? {} : { provider_sid },
    });
  });
  const url = await listen(app);

  /** Begins a login in a browser. @returns its state and the browser's cookie. */
  async function begin(through: Connection, cookie?: string) {
    connection = through;
    const { headers, body } = await send(`${url}/begin`, { headers: cookie === undefined ? {} : { cookie } });
    const [pair = ''] = (headers.get('set-cookie') ?? '').split(';');
    return { state: String(body), cookie: pair, setCookie: headers.get('set-cookie') };
  }

  /** Ends a login, as the provider's answer does; without a state it began at the provider. */
  async function finish(
    through: Connection,
    state: string | undefined,
    given: Answer = {},
    headers: Record<string, string> = {},
  ) {
    connection = through;
    answer = given;
    return send(`${url}/finish${state === undefined ? '' : `?state=${state}`}`, { headers });
  }

  return {
    options,
    begin,
    finish,
    /** Runs a whole login. @returns the one-time code and the browser's cookie. */
    async logIn(through: Connection, given: Answer = {}) {
      const { state, cookie } = await begin(through);
      const { headers } = await finish(through, state, given, { cookie });
      const code = /#code=([\w-]+)$/.exec(headers.get('location') ?? '')?.[1];
      if (code === undefined) throw new Error('the login did not end with a code');
      return { code, cookie };
    },
    stop: () => app.close(),
  };
}
