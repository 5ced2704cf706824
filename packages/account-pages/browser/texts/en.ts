export const texts = {
  titles: {
    'sign-in': 'Sign in',
    'sign-up': 'Create an account',
    code: 'Enter your code',
    forgot: 'Reset your password',
    reset: 'Choose a new password',
    profile: 'Your profile',
    chatbots: 'Chatbots',
    organization: 'Organization',
    webhooks: 'Webhooks',
    sso: 'Single sign-on',
    invitation: 'You are invited to a team',
    'undo-email': 'Undo the change of your address',
    'code-login': 'Sign in with a code',
    support: 'Support session',
  },
  fields: {
    email: 'E-mail',
    password: 'Password',
    newPassword: 'New password',
    name: 'Name',
    username: 'User name',
    code: 'Six-digit code',
    show: 'Show',
    hide: 'Hide',
  },
  strength: {
    label: 'Strength of the password',
    levels: [
      'Easy to guess. Longer is better: several words that do not belong together.',
      'Fair. A few more characters make it much harder to guess.',
      'Good.',
      'Very good.',
    ],
  },
  factor: {
    explanation: 'Enter the code that your authenticator app shows.',
    submit: 'Continue',
    lost: 'Lost your device? Use a recovery code',
    found: 'Use the code of the app',
    recoveryCode: 'Recovery code',
    recoveryHint: 'One of the ten codes that you kept when you set up the app. Each works once.',
    noneLeft: 'Without your device and your recovery codes, only the support team can help you in.',
    startAgain: 'Start again',
    setUp: 'Set up a second factor',
  },
  captcha: {
    label: 'Check that you are a person',
    failed: 'The CAPTCHA could not be loaded.',
  },
  support: {
    label: 'Support session',
    leave: 'Leave',
    end: 'End',
    read: 'Read-only',
    full: 'May make changes',
    by: (operator: string) => `by ${operator}`,
    until: (time: string) => `until ${time}`,
    replaceTitle: 'Open a support session?',
    replaces: 'You are signed in in this tab. Opening the support session signs you out here.',
    decline: 'Stay signed in',
    open: 'Open support session',
    checking: 'Checking the support link…',
    incomplete: 'This support link is incomplete. Ask for another one.',
    invalid: 'This support link is no longer valid. Ask for another one.',
    otherAccount: 'This support link does not belong to the account that it names. It was not opened.',
  },
  code: {
    sentTo: 'We sent a code to',
    submit: 'Continue',
    validFor: (time: string) => `The code is valid for ${time}`,
    expired: 'The code has expired',
    dead: 'This code no longer works, because a wrong one was entered five times. Send another code.',
    deadShort: 'The code no longer works',
    resend: 'Send another code',
    resent: 'Another code is on its way. The earlier one no longer works.',
    otherAddress: 'Use another address',
    nothingPending: 'There is no code to enter here. Sign in or create an account first.',
  },
  navigation: {
    label: 'Main',
    profile: 'Profile',
    chatbots: 'Chatbots',
    organization: 'Organization',
    webhooks: 'Webhooks',
    signOut: 'Sign out',
  },
  table: {
    loading: 'Loading',
    retry: 'Try again',
    pages: 'Pages',
    previous: 'Previous',
    next: 'Next',
    position: (page: string, pages: string, total: string) => `Page ${page} of ${pages} (${total} in all)`,
  },
  dialog: { close: 'Close', cancel: 'Cancel' },
  session: {
    expiresIn: (minutes: number) =>
      minutes === 1 ? 'Your session ends in a minute.' : `Your session ends in ${minutes} minutes.`,
    extend: 'Stay signed in',
    ending: 'Signing out…',
    mayBeOpen:
      'We could not reach the server, so your session may still be open. Leave this page open: it signs you out as soon as the server answers.',
    ended: {
      'signed out': 'You are signed out.',
      expired: 'Your session has ended. Please sign in again.',
      left: 'You have left the support session.',
      deleted:
        'Your account is going to be deleted. We have mailed you the day; sign in before then to keep the account.',
    },
  },
  errors: {
    offline: 'You are offline. Check your connection and try again.',
    unreachable: 'The server did not answer. Please try again.',
    unavailable: 'Something is not working on our side. Please try again in a moment.',
    unexpected: 'Something went wrong. Please try again.',
    /** @param duration such as `5 minutes`. @param time such as `14:05:30`. */
    tooMany: (duration: string, time: string) =>
      `Too many attempts. You can go on in ${duration}, at ${time}.`,
    /** @param problem what the API says of a field, such as `must be a phone number`. */
    field: (problem: string) => `This field ${problem}.`,
    /** Errors for the limits of a plan. */
    quotas: {
      departments: (plan: string, limit: string) =>
        `The plan ${plan} allows ${limit} departments. Remove one, or choose a higher plan for a department.`,
      members: (plan: string, limit: string) =>
        `The plan ${plan} allows ${limit} members in a department. Remove somebody, or choose a higher plan.`,
      webhooks: (plan: string, limit: string) =>
        `The plan ${plan} allows ${limit} webhooks here. Delete one, or choose a higher plan.`,
    },
    /** Messages of the API in the reader's words. */
    known: {
      'A read-only support session changes nothing':
        'This support session is read-only. Nothing was changed.',
      'Only the person themselves may do this':
        'This is not possible in a support session. Only the person themselves may do it.',
      'User not found': 'There is no account with this address.',
      'Email already registered': 'There is an account with this address already. Sign in instead.',
      'Invalid credentials': 'The e-mail or the password is wrong.',
      'Invalid code': 'This code is not right, or was used before. Wait for the next one.',
      'The passkey was not accepted':
        'This passkey was not accepted. It may have been removed from the account.',
      'The request for a passkey has expired, please try again': 'This took too long. Please try again.',
      'Nothing else opens the account. Please set a password or add another way to log in first.':
        'This is the only way into your account. Set a password or add another way first.',
      'The login has expired, please log in again': 'This took too long. Please start again.',
      'Invalid OTP': 'This code is not right. Check the digits, or send another code.',
      'OTP expired': 'This code has expired. Send another one.',
      'Invalid or expired OTP': 'This code is wrong or has expired. Check the digits, or send another code.',
      Forbidden: 'Your role does not allow this. It may have changed: reload the page to see.',
      'Not found': 'It no longer exists, or you no longer have access to it.',
      'Resource already exists': 'There is one with this name already. Choose another name.',
      'Already a member': 'This person is a member already.',
      'An Owner of the organization is Owner in every department':
        'This person is an Owner of the organization, and so in every department already.',
      'The last Owner cannot be removed':
        'You are the last Owner. Add another Owner first, or transfer the ownership.',
      'The last Owner cannot leave: transfer the ownership to somebody else, or archive the organization':
        'You are the last Owner. Transfer the ownership to somebody else, or close the organization.',
      'The department is archived': 'The department is archived: nothing in it can be changed.',
      'The organization is archived': 'The organization is closed: nothing in it can be changed.',
      'You are an Owner already': 'You are an Owner already.',
      'The user is an Owner already': 'This person is an Owner already.',
      'An organization has at most 20 pending offers':
        'There are 20 open offers already. Withdraw one first.',
      'The invitation was declined': 'The person has declined the invitation.',
      'The offer was declined': 'The person has declined the offer.',
      'An organization has at most 100 Owners': 'An organization has at most 100 Owners.',
      'reCAPTCHA validation failed': 'Please confirm that you are a person.',
      'The organization requires a second factor. Please set one up in your profile and try again.':
        'This organization requires a second factor. Set one up in your profile, under sign-in and security; then everything opens again.',
      'Your organization requires single sign-on. Please log in through your identity provider.':
        'Your organization requires single sign-on. Your password does not sign you in here.',
      'Your identity provider could not be reached. Please try again in a few minutes.':
        'The sign-in of your organization could not be reached. Please try again in a few minutes.',
    } as Record<string, string>,
  },
};

export type Texts = typeof texts;
