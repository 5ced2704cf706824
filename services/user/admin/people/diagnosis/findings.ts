import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { foreignHashOf, isTooCostly } from '@gatehouse/shared/identity/passwords';
import { guessesOpenAt } from '@gatehouse/shared/identity/second-factor';
import { hasPasskey, hasPassword } from '@gatehouse/shared/identity/ways-in';
import { MAIL_HOURS } from '../../figures/mails.ts';
import { codeIssuedAt, codeTexts, spentTexts } from './codes.ts';
import type { Facts } from './facts.ts';
import { MAX_ATTEMPTS } from './history.ts';
import { isUnreadable } from './password.ts';
import { attemptText, timeOf, upTo, wayOf } from './words.ts';

export const SEVERITIES = ['blocks', 'warns', 'info'] as const;
type Severity = (typeof SEVERITIES)[number];

interface Words {
  text: string;
  advice?: string;
}

interface Finding {
  severity: Severity | ((facts: Facts) => Severity);
  /** What to say; undefined or empty if it does not apply. */
  say: (facts: Facts) => Words | readonly Words[] | undefined;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Refused logins within an hour from which the gateway asks for a CAPTCHA, or refuses (CONTRACT.md §Login throttle). */
const MANY_REFUSED = 3;
/** Days for which a changed address is worth a word. */
const CHANGED_LATELY = 30;
/** Attempts that are shown. */
const SHOWN = 5;

const unlessAnotherWay = ({ ways }: Facts): Severity => (ways.length === 0 ? 'blocks' : 'warns');
const FORGOT = 'Ask them to use "Forgot password": the code in the mail sets a new one.';

const FINDINGS = {
  deletion_begun: {
    severity: 'blocks',
    say: ({ user: { deletion } }) =>
      deletion?.begun_at && {
        text: `The deletion of the account began at ${timeOf(deletion.begun_at)}.`,
        advice: 'Nothing restores it; they can sign up again when it is gone.',
      },
  },
  disabled_by_directory: {
    severity: 'blocks',
    say: ({ user, sso }) =>
      isDisabled(user) && user.deprovisioned !== undefined
        ? {
            text: `The directory of the connection "${sso.disabledBy}" has disabled the account.`,
            advice: 'Ask the administrators of their organization to activate them in the directory.',
          }
        : undefined,
  },
  disabled: {
    severity: 'blocks',
    say({ user, disabling }) {
      if (!isDisabled(user) || user.deprovisioned) return undefined;
      const text = disabling
        ? `The operator ${disabling.user_id ?? 'at the command line'} disabled the account at ${timeOf(disabling.at)}: ${String(disabling.after?.reason ?? 'no reason is known')}`
        : 'The account is disabled.';
      return { text, advice: 'An admin can enable it, if the reason is gone.' };
    },
  },
  not_verified: {
    severity: 'blocks',
    say: ({ user, now }) =>
      user.verified
        ? undefined
        : {
            text: ['The address is not verified.', ...codeTexts(user, now)].join(' '),
            advice:
              'Ask them for a new code on the sign-in page. An admin who knows that the address is theirs can verify it.',
          },
  },
  factor_locked: {
    severity: 'blocks',
    say({ user, now }) {
      const opens = isEnrolled(user, now) ? guessesOpenAt(user, now) : undefined;
      return opens === undefined
        ? undefined
        : {
            text: `Too many wrong codes of the second factor: no code of the app is accepted until ${timeOf(opens)}.`,
            advice: 'Ask them to wait, or to use a recovery code or a passkey.',
          };
    },
  },
  password_void: {
    severity: unlessAnotherWay,
    say: ({ user, voiding }) =>
      !hasPassword(user) && voiding
        ? {
            text: `Their password was voided at ${timeOf(voiding.at)}, ${voiding.action === 'email.undo' ? 'when a change of the address was undone' : 'when a login at a provider took over the account, which was not verified'}.`,
            advice: FORGOT,
          }
        : undefined,
  },
  no_password: {
    severity: unlessAnotherWay,
    say: ({ user, voiding }) =>
      hasPassword(user) || voiding ? undefined : { text: 'The account has no password.', advice: FORGOT },
  },
  password_refused: {
    severity: unlessAnotherWay,
    say: ({ user }) =>
      isTooCostly(user) || isUnreadable(user)
        ? {
            text: `The password ${foreignHashOf(user) === undefined ? '' : 'of the earlier system '}is stored as a hash that ${isTooCostly(user) ? 'costs too much to verify' : 'cannot be read'}: every login with it is refused.`,
            advice: FORGOT,
          }
        : undefined,
  },
  directory_inactive: {
    severity: unlessAnotherWay,
    say: ({ user, sso }) =>
      user.deprovisioned
        ? undefined
        : sso.inactiveAt.map((name) => ({
            text: `The directory of the connection "${name}" has deactivated them: single sign-on there is refused.`,
            advice: 'Ask the administrators of their organization to activate them in the directory.',
          })),
  },
  sso_unavailable: {
    severity: unlessAnotherWay,
    say: ({ sso }) =>
      sso.fault === undefined
        ? undefined
        : { text: sso.fault, advice: 'Ask an Owner of the organization to repair single sign-on.' },
  },
  paused: {
    severity: 'warns',
    say: ({ user }) =>
      user.verified && user.account_status === 'paused'
        ? {
            text: 'The account is paused: a login with the password succeeds, and every call after it is refused.',
            advice: 'An admin makes it active by disabling and then enabling it.',
          }
        : undefined,
  },
  deletion_requested: {
    severity: 'warns',
    say: ({ user: { deletion } }) =>
      deletion && !deletion.begun_at
        ? {
            text: `Its deletion was requested at ${timeOf(deletion.requested_at)} and is due at ${timeOf(deletion.due_at)}.`,
            advice: 'A login restores the account; so can an admin.',
          }
        : undefined,
  },
  sso_required: {
    severity: 'warns',
    say: ({ sso }) =>
      sso.isRequired
        ? {
            text: `Addresses at ${sso.domain} must log in by single sign-on: a password is refused.`,
            advice: 'Ask them to choose single sign-on on the sign-in page.',
          }
        : undefined,
  },
  factor_reset_pending: {
    severity: 'warns',
    say: ({ user, now }) =>
      user.factor_reset && isEnrolled(user, now)
        ? {
            text: `The second factor ends at ${timeOf(user.factor_reset.due_at)}, because an operator has reset it; until then it is asked for.`,
            advice: 'Ask them to wait until then. A code that they find before cancels the reset.',
          }
        : undefined,
  },
  passkeys_off: {
    severity: 'warns',
    say: ({ user, hasPasskeysHere }) =>
      hasPasskey(user) && !hasPasskeysHere
        ? {
            text: 'They have passkeys, and the settings of this deployment allow none.',
            advice: 'See PUBLIC_URL and PASSKEY_RP_ID, or ask them to use another way.',
          }
        : undefined,
  },
  logins_refused: {
    severity: 'warns',
    say({ attempts, now }) {
      const refused = attempts.filter(
        ({ at, outcome }) =>
          at.getTime() > now - HOUR && outcome !== 'success' && outcome !== 'second factor required',
      );
      return refused.length < MANY_REFUSED
        ? undefined
        : {
            text: `${upTo(refused.length, MAX_ATTEMPTS)} logins were refused in the last hour. The gateway may be holding back more from the same network, or asking for a CAPTCHA; the database does not tell.`,
            advice: 'Ask them to wait five minutes before the next attempt.',
          };
    },
  },
  codes_spent: {
    severity: 'warns',
    say({ user, now }) {
      const texts = user.verified ? spentTexts(user, now) : [];
      return texts.length === 0
        ? undefined
        : { text: texts.join(' '), advice: 'Ask them to wait until then.' };
    },
  },
  mails_failing: {
    severity: 'warns',
    say: ({ user, mails: { isFailing, failed, all } }) =>
      isFailing && codeIssuedAt(user) !== undefined
        ? {
            text: `A code was mailed to them, but ${failed} of ${all} mails of the last ${MAIL_HOURS} hours were not accepted.`,
            advice: 'Check the mail server: npx gatehouse doctor.',
          }
        : undefined,
  },
  address_changed: {
    severity: 'warns',
    say({ user: { address_since, created_at, email, email_undos }, now }) {
      const isNew =
        address_since &&
        address_since.toISOString() !== created_at &&
        address_since.getTime() > now - CHANGED_LATELY * DAY;
      if (!isNew) return undefined;
      const former = email_undos?.at(-1)?.email;
      return {
        text: `The account has had this address only since ${timeOf(address_since)}${former ? `; before it was ${former}` : ''}.`,
        advice: `Ask whether they log in with ${email}.`,
      };
    },
  },
  ways: {
    severity: 'info',
    say: ({ ways }) => ({ text: `Ways to log in: ${ways.join(', ') || 'none'}.` }),
  },
  last_login: {
    severity: 'info',
    say: ({ lastLogin }) => ({
      text: lastLogin
        ? `They last logged in at ${timeOf(lastLogin.at)}, with ${wayOf(lastLogin)}.`
        : 'No login is known.',
    }),
  },
  attempt: {
    severity: 'info',
    say: ({ attempts }) =>
      attempts.slice(0, SHOWN).map((attempt) => ({ text: `Attempt at ${attemptText(attempt)}.` })),
  },
} satisfies Record<string, Finding>;

/** A deletion that has begun disables the account as well. */
const isDisabled = ({ account_status, deletion }: Facts['user']): boolean =>
  account_status === 'disabled' && !deletion?.begun_at;

/** Says what the facts come to: what blocks first, then what warns. */
export const diagnose = (facts: Facts) =>
  Object.entries<Finding>(FINDINGS)
    .flatMap(([finding, { severity, say }]) =>
      [say(facts) ?? []].flat().map(({ text, advice = null }) => ({
        finding,
        severity: typeof severity === 'function' ? severity(facts) : severity,
        text,
        advice,
      })),
    )
    .toSorted((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
