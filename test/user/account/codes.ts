import { newMember } from '../../fixtures/members.ts';
import type { Services } from '../../fixtures/services.ts';

type Where = Pick<Services, 'db' | 'clock'>;

const CODE = '073519';

/** The headers of a client in another network. The service must trust this machine as its proxy. */
export const fromNetwork = (network: number) => ({ 'x-forwarded-for': `203.0.113.${network}` });

/** A code other than `code`. */
export const otherThan = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, '0');

/** Stores an active account whose code has just been issued. */
export async function activeAccount({ db, clock }: Where, fields: object = {}) {
  const code = { otp: CODE, otp_expiration: clock.seconds() + 60, otp_wrong_guesses: 0 };
  const { email, user_id } = await newMember(db, {
    ...code,
    otp_mails: [{ at: clock.seconds(), network: '127.0.0.1' }],
    ...fields,
  });
  return { email, code: CODE, user_id: user_id as string };
}

/** Stores an account as signup leaves it. */
export const unverifiedAccount = (where: Where, fields: object = {}) =>
  activeAccount(where, {
    verified: false,
    account_status: 'paused',
    user_id: undefined,
    features_assigned: undefined,
    ...fields,
  });
