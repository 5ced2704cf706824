import { type Finding, fail, ok, warn } from '@gatehouse/shared/checks/finding';

/** Settings whose value is a secret, and those that hold a password in an address. */
const SECRET = /(?:_SECRET|_SECRET_PREVIOUS|_SECRET_KEY|_SECRET_KEY_PREVIOUS|_TOKEN|_API_KEY)$/;
const ADDRESS = ['MONGODB_URI', 'REDIS_URL', 'SMTP_URL'];

/**
 * Names secrets that have one value in several settings, of whatever service. A thief of one has them all. `JWT_SECRET`
 * and its previous value may be equal only by mistake, so they are compared too.
 */
export function checkSecrets(env: NodeJS.ProcessEnv): Finding[] {
  const secrets = Object.entries(env).flatMap(([name, value = '']) => {
    if (value === '') return [];
    if (SECRET.test(name)) return [{ name, value }];
    const password = ADDRESS.includes(name) ? passwordIn(value) : '';
    return password === '' ? [] : [{ name: `the password in ${name}`, value: password }];
  });
  const shared = [...Map.groupBy(secrets, ({ value }) => value).values()].filter(({ length }) => length > 1);
  if (shared.length === 0) return [ok('secrets', `${secrets.length} are set, each with a value of its own`)];
  const judge = env.NODE_ENV === 'production' ? fail : warn;
  return shared.map((same) =>
    judge(
      'secrets',
      `${same.map(({ name }) => name).join(' and ')} are equal`,
      'whoever learns one has the other: give each a value of its own, as from openssl rand -hex 32',
    ),
  );
}

/** The password of an address, which may name several hosts. */
function passwordIn(address: string): string {
  const [, password = ''] = /^[^:]+:\/\/[^:@/]*:([^@]*)@/.exec(address) ?? [];
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
