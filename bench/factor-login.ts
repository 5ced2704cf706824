import { randomBytes } from 'node:crypto';
import { connect } from '@gatehouse/shared/data/connect';
import { createFactorSecrets } from '@gatehouse/shared/data/secrets';
import { factorRecord } from '@gatehouse/shared/identity/second-factor';
import { Secret, TOTP } from 'otpauth';
import { COLLECTIONS } from '../services/user/database.ts';
import { send } from '../test/fixtures/http.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { createAccounts, PERSON } from './account.ts';
import { compare } from './report.ts';

/** Logins in one measurement, each of an account of its own: an account uses a code once. */
const COUNT = 200;
const CLIENTS = 16;

/** Logins with a second factor, two calls each, relative to logins with the password alone. */
export async function factorLogin(): Promise<void> {
  const JWT_SECRET = randomBytes(32).toString('hex');
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn', JWT_SECRET } });
  try {
    await gatehouse.up;
    const people = Array.from({ length: COUNT }, (_, index) => ({
      email: `person${index}@example.com`,
      user_id: `User-${200_000 + index}`,
    }));
    await createAccounts(gatehouse.mongodb, people);
    const db = await connect(gatehouse.mongodb, COLLECTIONS, { appName: 'bench' });
    const totp = new TOTP({ secret: new Secret({ size: 20 }) });
    const sealed = createFactorSecrets({ JWT_SECRET }).seal(totp.secret.base32, factorRecord('bench'));
    const post = async (path: string, form: Record<string, string>) =>
      send(`${gatehouse.login}${path}`, { method: 'POST', body: new URLSearchParams(form) });
    const plain = async (email: string) => {
      const { status } = await post('/v2/login', { email, password: PERSON.password });
      if (status !== 200) throw new Error(`a login answered ${status}`);
    };
    const withCode = async (email: string) => {
      const { body } = await post('/v2/login', { email, password: PERSON.password });
      const { status } = await post('/v2/login/factor', {
        factor_token: body.factor_token,
        code: totp.generate(),
      });
      if (status !== 200) throw new Error(`a code answered ${status}`);
    };
    const speedOf = async (logIn: (email: string) => Promise<void>) => {
      const waiting = [...people];
      const began = performance.now();
      const client = async () => {
        for (let next = waiting.pop(); next; next = waiting.pop()) await logIn(next.email);
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      return (COUNT * 1000) / (performance.now() - began);
    };
    const factor = { id: 'bench', secret: sealed, enrolled_at: new Date(), last_step: 0, recovery_codes: [] };
    await compare('factor-login', {
      unit: '/s',
      rounds: 5,
      measures: {
        'password alone': async () => {
          await db.users.updateMany({}, { $unset: { second_factor: true } });
          return speedOf(plain);
        },
        'password and code': async () => {
          await db.users.updateMany({}, { $set: { second_factor: factor } });
          return speedOf(withCode);
        },
      },
      ratios: [{ of: 'password and code', over: 'password alone', goal: 0.8 }],
    });
    await db.close();
  } finally {
    await gatehouse.stop();
  }
}
