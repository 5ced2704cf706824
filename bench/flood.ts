import { postForm } from '../test/fixtures/http.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { bearer, createAccount, PERSON } from './account.ts';
import { load } from './load.ts';
import { compare } from './report.ts';

const SECONDS = 4;
const OTHER = { email: 'other@example.com', user_id: 'User-100001', password: PERSON.password };
/** Logins that wait at once. In the order of arrival, the next one would wait for all of them. */
const FLOOD = 64;

/**
 * Profile calls while logins for one account saturate the cores, and how long the login of another account from another
 * network takes during it.
 */
export async function flood(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  try {
    await gatehouse.up;
    await createAccount(gatehouse.mongodb);
    await createAccount(gatehouse.mongodb, OTHER);
    const authorization = await bearer(gatehouse.login);
    const { email, password } = PERSON;
    const flooding = () =>
      load(`${gatehouse.login}/v2/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '192.0.2.1' },
        body: new URLSearchParams({ email, password }).toString(),
        connections: FLOOD,
        duration: SECONDS,
      });
    const profiles = () =>
      load(`${gatehouse.user}/api/v1/users/me`, { headers: { authorization }, duration: SECONDS });
    const beside = async <Result>(measure: () => Promise<Result>) => {
      const [result] = await Promise.all([measure(), flooding()]);
      return result;
    };
    await compare('flood', {
      unit: 'profile calls/s',
      rounds: 3,
      measures: { alone: profiles, 'beside a flood of logins': () => beside(profiles) },
      ratios: [{ of: 'beside a flood of logins', over: 'alone', goal: 0.5 }],
    });

    /** The median of the logins of another account, one after the other, in milliseconds. */
    const others = async () => {
      const until = performance.now() + (SECONDS - 1) * 1000;
      const times: number[] = [];
      while (performance.now() < until) {
        const began = performance.now();
        const form = { email: OTHER.email, password };
        const { status } = await postForm(`${gatehouse.login}/v2/login`, form, {
          'x-forwarded-for': '198.51.100.1',
        });
        if (status !== 200) throw new Error(`the login answered ${status}`);
        times.push(performance.now() - began);
      }
      return times.sort((one, other) => one - other)[Math.floor(times.length / 2)] as number;
    };
    await compare('flood of one account', {
      unit: 'ms for a login of another',
      rounds: 3,
      measures: { alone: others, 'in the flood': () => beside(others) },
      ratios: [{ of: 'in the flood', over: 'alone' }],
    });
  } finally {
    await gatehouse.stop();
  }
}
