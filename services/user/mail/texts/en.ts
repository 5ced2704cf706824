import type { MailTexts } from '../mails.ts';

const WARNINGS = {
  none: 'If you did not ask for it, ignore this mail.',
  repeatedSignup: `This address has signed up more than once, and this code replaces the earlier ones.

Enter it only if the latest signup was yours. If it was not, someone else is using your address: ignore this mail. To create your account, sign up yourself and enter the code that you get then.`,
  notVerified: `The account of this address is not verified yet. Verifying it with this code activates the latest signup.

Do that only if the latest signup was yours. If it was not, someone else is using your address: sign up yourself and enter the code that you get then. If you did not ask for this code, ignore this mail.`,
  signUpAgain: `This address has signed up more than once, so this code creates no account by itself.

To create your account, sign up again and enter the code that you get then. If you still have the page open on which you signed up and asked for this code, you can enter it there instead. If you did not ask for it, ignore this mail.`,
};

const UNTIL_THEN = 'Until you accept, nobody there learns anything about you.';
const UNEXPECTED = 'If you do not know who invited you, ignore this mail.';

/** The consequences for the account of a person whom a provider has deleted. */
const DELETED = {
  disabled:
    'The account is disabled and its sessions have ended. Its record, memberships and chatbots are kept: decide what becomes of them.',
  foreign:
    'The address is not in a domain that the organization has verified, so the account stays active. It can no longer log in through this provider; decide whether its memberships end.',
  kept: 'The sessions that began at this provider have ended. The account, its memberships and chatbots are kept, and so is its password if it has one: decide what becomes of them.',
};

const WEBHOOK_REASONS = {
  gone: 'The receiver answered 410 Gone, which asks us to send nothing more.',
  failing: 'For three days, every attempt to deliver to it has failed.',
};

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const timeOf = (date: Date): string =>
  `${date.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })}, ${date.toISOString().slice(11, 16)} UTC`;

/** For a change that only the person, or whoever can sign in as them, can make. */
const secure = (url: string, after = 'This ends every session.') => ({
  text: 'If this was you, there is nothing to do. If it was not, someone else can use your account. Choose a new password at once at',
  url,
  after,
});

const NO_CODE =
  'This ends every session. If you are then asked for a code that you do not have, tell the operator of this service.';

const REMOVE_PASSKEY =
  'This ends every session. Then remove the passkey in the security settings of your profile: a new password does not.';

export const en: MailTexts = {
  code: ({ otp, validity, warning }) => ({
    subject: 'Your OTP Code',
    content: [
      { text: 'Your code is', code: otp },
      `It is valid for ${validity} seconds. ${WARNINGS[warning]}`,
    ],
  }),

  addressCode: ({ code, minutes }) => ({
    subject: 'Confirm your new e-mail address',
    content: [
      { text: 'Your code is', code },
      `It is valid for ${minutes} minutes. With it, this address becomes the address of your account. If you did not ask for it, ignore this mail: nothing changes.`,
    ],
  }),

  addressTaken: ({ login }) => ({
    subject: 'This address has an account',
    content: [
      'Someone asked to use this address for another account. This address has an account of its own, so nothing changes.',
      {
        text: 'If it was you, sign in with this address, or choose a different one for the other account:',
        url: login,
        after: 'If it was not you, ignore this mail.',
      },
    ],
  }),

  loginCode: ({ code, minutes }, url) => ({
    subject: 'Your code to sign in',
    content: [
      { text: 'Your code is', code },
      {
        text: `It is valid for ${minutes} minutes and signs you in once. You can also open this page, on any device, and press its button:`,
        url,
        after:
          'Never give the code or the link to anyone: whoever has it can sign in as you. If you did not ask for it, ignore this mail.',
      },
    ],
  }),

  invitation: ({ organization, department, url, hasAccount }) => ({
    subject: 'You are invited to a team',
    content: [
      `You are invited to "${department}" at "${organization}".`,
      hasAccount
        ? { text: 'Log in to accept or decline at', url, after: `${UNTIL_THEN} ${UNEXPECTED}` }
        : {
            text: 'Sign up with this address at',
            url,
            after: `You become a member when you verify your address. ${UNEXPECTED}`,
          },
    ],
  }),

  offer: ({ organization, url, transfer }) => ({
    subject: 'You are invited to own an organization',
    content: [
      transfer
        ? `An Owner of "${organization}" wants to transfer ownership to you.`
        : `You are invited to become an Owner of "${organization}".`,
      { text: 'Log in to accept or decline at', url, after: `${UNTIL_THEN} ${UNEXPECTED}` },
    ],
  }),

  deprovisioned: ({ organization, email, account }) => ({
    subject: 'An account was deprovisioned',
    content: [`The identity provider of "${organization}" has deleted ${email}.`, DELETED[account]],
  }),

  certificate: ({ organization, connection, expires, hasSuccessor }) => ({
    subject: 'A certificate of your identity provider expires',
    content: [
      `A certificate with which the identity provider of "${organization}" signs logins for the connection "${connection}" expires on ${dayOf(expires)}.`,
      hasSuccessor
        ? 'The connection has another certificate that is valid for longer. Make sure that the provider signs with it before that day.'
        : 'Replace it at the provider, and import the new certificate into the connection before the provider signs with it. A connection with a metadata address takes new certificates from there every day.',
    ],
  }),

  webhook: ({ webhook_id, host, shared, reason }, pages) => ({
    subject: 'A webhook was disabled',
    content: [
      `${shared ? "Your organization's" : 'Your'} webhook to ${host} was disabled. ${WEBHOOK_REASONS[reason]}`,
      'It gets no new events. Deliveries that were waiting are kept for now.',
      {
        text: 'Once the receiver works, activate the webhook at',
        url: pages.webhook(webhook_id),
        after: 'The waiting deliveries are sent then.',
      },
    ],
  }),

  payment: ({ organization, department, endsAt }) => ({
    subject: 'A payment has failed',
    content: [
      `The payment for the Enterprise plan of "${department}" at "${organization}" has failed.`,
      `Single sign-on stays available until ${dayOf(endsAt)}. If no payment succeeds until then, it ends: people log in with their passwords, and those who have none set one with a reset.`,
    ],
  }),

  notices: {
    password_changed: (_, { forgotPassword }) => ({
      subject: 'Your password was changed',
      happened: 'The password of your account was changed. Your other sessions have ended.',
      otherwise: secure(forgotPassword),
    }),
    password_set: (_, { forgotPassword }) => ({
      subject: 'Your account has a password',
      happened: 'A password was set for your account, which had none. You can now sign in with it.',
      otherwise: secure(forgotPassword),
    }),
    password_reset: (_, { forgotPassword }) => ({
      subject: 'Your password was reset',
      happened:
        'A new password was set for your account, with a code that was mailed to this address. Every earlier session has ended.',
      otherwise: {
        text: 'If this was you, there is nothing to do. If it was not, someone else can read your mail. Secure your mailbox first, and then choose a new password at',
        url: forgotPassword,
      },
    }),
    email_change_requested: ({ email }, { forgotPassword }) => ({
      subject: 'A new e-mail address was requested for your account',
      happened: `Someone asked to change the e-mail address of your account to ${email}. Nothing changes before a code is entered that is mailed to that address.`,
      otherwise: secure(forgotPassword),
    }),
    email_changed: ({ email, undo }, { undoEmail }) => ({
      subject: 'The e-mail address of your account was changed',
      happened: `The e-mail address of your account is now ${email}. You sign in with it, and mails go there.`,
      otherwise: {
        text: 'If this was you, there is nothing to do. If it was not, undo the change within three days at',
        url: undoEmail(undo),
        after:
          'This restores the address of this mailbox and ends every session. The password becomes invalid, and you choose a new one.',
      },
    }),
    email_change_undone: (_, { forgotPassword }) => ({
      subject: 'The e-mail address of your account was restored',
      happened:
        'The change of the e-mail address of your account was undone. The account has this address again, and every session has ended.',
      otherwise: {
        text: 'Whoever had changed the address was signed in to your account. Choose a new password at',
        url: forgotPassword,
      },
    }),
    email_changed_by_provider: ({ email }) => ({
      subject: 'The e-mail address of your account was changed',
      happened: `Your organization has changed the e-mail address of your account to ${email}. You sign in with it, and mails go there.`,
      otherwise: 'If you did not expect this, please ask the administrators of your organization.',
    }),
    totp_enabled: (_, { forgotPassword }) => ({
      subject: 'An authenticator app protects your account',
      happened: 'From now on, signing in to your account also takes a code from an authenticator app.',
      otherwise: secure(forgotPassword, NO_CODE),
    }),
    totp_disabled: (_, { forgotPassword }) => ({
      subject: 'Your account asks for no codes any more',
      happened:
        'The authenticator app was removed from your account. The password alone is enough to sign in.',
      otherwise: secure(forgotPassword),
    }),
    link_added: ({ provider }, { forgotPassword }) => ({
      subject: 'Your account has a new way to sign in',
      happened: `An account at ${provider} was linked to your account. From now on, it signs in to your account.`,
      otherwise: secure(forgotPassword, 'This ends every session. Then remove the link in your profile.'),
    }),
    link_removed: ({ provider }, { forgotPassword }) => ({
      subject: 'Your account has one way less to sign in',
      happened: `The link to an account at ${provider} was removed. It no longer signs in to your account, and your other sessions have ended.`,
      otherwise: secure(forgotPassword),
    }),
    recovery_codes_replaced: (_, { forgotPassword }) => ({
      subject: 'Your account has new recovery codes',
      happened: 'New recovery codes were made for your account. The earlier ones are no longer valid.',
      otherwise: secure(forgotPassword, NO_CODE),
    }),
    recovery_code_used: ({ left }, { forgotPassword }) => ({
      subject: 'A recovery code of your account was used',
      happened: `Someone used a recovery code in place of your second factor. ${left === 1 ? 'One code is' : `${left} codes are`} left.`,
      otherwise: secure(forgotPassword),
    }),
    factor_codes_wrong: (_, { forgotPassword }) => ({
      subject: 'Someone knows the password of your account',
      happened:
        'Five wrong codes of your second factor were entered after the right password. No sign-in succeeded with them.',
      otherwise: secure(forgotPassword),
    }),
    factor_reset_requested: ({ effective_at }, { forgotPassword }) => ({
      subject: 'The second factor of your account will be removed',
      happened: `An operator of this service is removing the second factor of your account. It ends on ${timeOf(effective_at)}. After that, the password alone is enough to sign in.`,
      otherwise: {
        text: 'If you did not ask for this, sign in with a code before then: that keeps the second factor. Also choose a new password at',
        url: forgotPassword,
      },
    }),
    support_session: ({ mode, until, reason }) => ({
      subject: 'An operator opened your account',
      happened: `An operator of this service has opened your account ${mode === 'read' ? 'to look at it, without changing anything' : 'to act in it for you'}, until ${timeOf(until)}. The reason they gave: ${reason}`,
      otherwise:
        'You can end this at any time: sign in, and end the support session under Devices in your profile. Your activity lists who it was and what they did.',
    }),
    passkey_added: (_, { forgotPassword }) => ({
      subject: 'Your account has a new passkey',
      happened: 'A passkey was added to your account. It is enough to sign in, without a password or a code.',
      otherwise: secure(forgotPassword, REMOVE_PASSKEY),
    }),
    passkey_removed: (_, { forgotPassword }) => ({
      subject: 'A passkey was removed from your account',
      happened: 'A passkey was removed from your account. It no longer signs in.',
      otherwise: secure(forgotPassword),
    }),
    key_created: (_, { forgotPassword, keys }) => ({
      subject: 'Your account has a new key',
      happened:
        'A key for machines was made for your account. Whoever has it can use your account without signing in.',
      otherwise: secure(forgotPassword),
      then: {
        text: 'A new password does not end the key. Then delete it under “Developers” in your profile at',
        url: keys,
      },
    }),
    deletion_requested: ({ deletes_at }, { login }) => ({
      subject: 'Your account will be deleted',
      happened: `Your account, and what belongs to it alone, will be deleted on ${timeOf(deletes_at)}.`,
      otherwise: {
        text: 'To keep the account, sign in before then at',
        url: login,
        after: 'If you did not ask for the deletion, also choose a new password.',
      },
    }),
    deletion_cancelled: (_, { forgotPassword }) => ({
      subject: 'Your account will not be deleted',
      happened: 'The deletion of your account was canceled. The account stays as it was.',
      otherwise: secure(forgotPassword),
    }),
    deletion_kept: ({ places }, { login }) => ({
      subject: 'Your account was not deleted',
      happened: `Your account is due for deletion, but nobody else can lead: ${places.join(', ')}. It is deleted once someone else owns them or they are archived.`,
      otherwise: {
        text: 'To hand them over or archive them, or to keep the account, sign in at',
        url: login,
        after: 'Signing in cancels the deletion; ask for it again afterwards.',
      },
    }),
    changed_by_operator: ({ change }, { forgotPassword }) => ({
      ...{
        disabled: {
          subject: 'Your account was disabled',
          happened: 'An operator of this service disabled your account. Nobody can sign in to it.',
        },
        enabled: {
          subject: 'Your account was enabled',
          happened: 'An operator of this service enabled your account. You can sign in again.',
        },
        verified: {
          subject: 'Your e-mail address was verified',
          happened: 'An operator of this service verified the e-mail address of your account.',
        },
        sessions_ended: {
          subject: 'You were signed out on every device',
          happened: 'An operator of this service ended every session of your account. Please sign in again.',
        },
        plan: {
          subject: 'The plan of your account was changed',
          happened: 'An operator of this service changed the plan of your account.',
        },
      }[change],
      otherwise: secure(forgotPassword),
    }),
    data_downloaded: (_, { forgotPassword }) => ({
      subject: 'The data of your account was downloaded',
      happened:
        'Somebody who is signed in to your account has downloaded everything that it holds: your profile, devices, organizations and activity.',
      otherwise: secure(forgotPassword),
    }),
    new_sign_in: (_, { forgotPassword }) => ({
      subject: 'A new sign-in to your account',
      happened:
        'Someone signed in to your account from a device and network that it has not used in the last 90 days.',
      otherwise: secure(forgotPassword),
    }),
  },

  circumstances: {
    time: 'Time',
    timeOf,
    device: 'Device',
    deviceOf: (browser, os) => `${browser} on ${os}`,
    address: 'Network address',
    unknown: 'unknown',
  },
};
