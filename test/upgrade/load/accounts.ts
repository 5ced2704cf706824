import { expectStatus } from '../caller.ts';
import { eventually } from '../eventually.ts';
import type { Context, Load } from './load.ts';

export const PASSWORD = 'correct horse battery staple';

let networks = 0;

/** Another network each time: an hour's mails and activations of one are limited. */
function newNetwork(): Record<string, string> {
  networks += 1;
  return { 'x-forwarded-for': `198.18.${networks >> 8}.${networks & 255}` };
}

/** Signs somebody up, verifies the address and logs in. */
export async function signUp({ cluster, call, mailbox }: Context, email: string) {
  const at = (operation: string) => `${cluster.url('gateway')}/v2/${operation}`;
  const headers = newNetwork();
  expectStatus(await call(at('signup'), { headers, form: { email, password: PASSWORD, name: 'Ada' } }), 200);
  // A repeated signup has mailed a second code, and the first one is void.
  const otp = await eventually(() => {
    const mail = mailbox.mails.find(({ recipients }) => recipients.includes(email));
    return /\b\d{6}\b/.exec(mail?.content.text ?? '')?.[0];
  });
  const verified = await call(at('verify-otp'), { headers, form: { email, otp } });
  // The answer to an earlier try that used the code was cut.
  if (!(verified.isRetry && verified.body.detail === 'Invalid OTP')) expectStatus(verified, 200);
  const { user_id } = expectStatus(await logIn({ cluster, call }, email), 200).body;
  if (verified.status === 200 && verified.body.user_id !== user_id)
    throw new Error(`${email} has two user ids`);
  return { email, user_id: String(user_id) };
}

const logIn = ({ cluster, call }: Pick<Context, 'cluster' | 'call'>, email: string) =>
  call(`${cluster.url('gateway')}/v2/login`, { form: { email, password: PASSWORD } });

/** Signs up and logs in at the catalogue contract. @returns the account with its header. */
export async function signIn(context: Context, email: string) {
  const account = await signUp(context, email);
  const { body } = expectStatus(
    await context.call(`${context.cluster.url('gateway')}/api/v1/auth/login`, {
      json: { email, password: PASSWORD },
    }),
    200,
  );
  return { ...account, headers: { authorization: `Bearer ${body.access_token}` } };
}

/** People who sign up. All of them can log in afterwards, with the same user id. */
export function accounts(context: Context): Load {
  const made: { email: string; user_id: string }[] = [];
  let count = 0;
  return {
    async step() {
      count += 1;
      made.push(await signUp(context, `person${count}@example.com`));
    },
    async verify() {
      for (const { email, user_id } of made) {
        const { body } = expectStatus(await logIn(context, email), 200);
        if (body.user_id !== user_id) throw new Error(`${email} has another user id`);
      }
      return `${made.length} accounts log in`;
    },
  };
}
