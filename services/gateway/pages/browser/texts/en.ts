export const texts = {
  titles: {
    'sign-in': 'Sign in',
    'sign-up': 'Create an account',
    code: 'Enter your code',
    forgot: 'Reset your password',
    reset: 'Choose a new password',
    profile: 'Your profile',
  },
  fields: {
    email: 'E-mail',
    password: 'Password',
    newPassword: 'New password',
    name: 'Name',
    code: 'Six-digit code',
    show: 'Show',
    hide: 'Hide',
  },
  signIn: {
    submit: 'Sign in',
    forgot: 'Forgot your password?',
    or: 'or',
    sso: 'Use single sign-on',
    noAccount: 'New here?',
    captcha: 'Please confirm that you are a person.',
  },
  signUp: {
    submit: 'Create account',
    passwordHint: 'Choose one that you use nowhere else. A sentence is better than a word.',
    haveAccount: 'Already have an account?',
  },
  code: {
    sentTo: 'We sent a code to',
    submit: 'Continue',
    validFor: (time: string) => `The code is valid for ${time}`,
    expired: 'The code has expired',
    resend: 'Send another code',
    resent: 'Another code is on its way. The earlier one no longer works.',
    otherAddress: 'Use another address',
    nothingPending: 'There is no code to enter here. Sign in or create an account first.',
  },
  forgot: {
    explanation: 'Enter the address of your account. We send you a code to choose a new password.',
    submit: 'Send code',
    back: 'Back to sign-in',
  },
  reset: {
    submit: 'Change password',
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
  dialog: { close: 'Close' },
  session: {
    expiresIn: (minutes: string) => `Your session ends in ${minutes} minutes.`,
    extend: 'Stay signed in',
    ended: {
      'signed out': 'You are signed out.',
      expired: 'Your session has ended. Please sign in again.',
    },
  },
  errors: {
    offline: 'You are offline. Check your connection and try again.',
    unreachable: 'The server did not answer. Please try again.',
    unavailable: 'Something is not working on our side. Please try again in a moment.',
    unexpected: 'Something went wrong. Please try again.',
    tooMany: (seconds: number) => `Too many attempts. Please wait ${seconds} seconds and try again.`,
    /** @param problem what the API says of a field, such as `must be a phone number`. */
    field: (problem: string) => `This field ${problem}.`,
    /** Messages of the API in the reader's words. */
    known: {
      'User not found': 'There is no account with this address.',
      'Email already registered': 'There is an account with this address already. Sign in instead.',
      'Invalid credentials': 'The e-mail or the password is wrong.',
      'Invalid OTP': 'This code is not right. Check the digits, or send another code.',
      'OTP expired': 'This code has expired. Send another one.',
      'Invalid or expired OTP': 'This code is wrong or has expired. Check the digits, or send another code.',
      'reCAPTCHA validation failed': 'Please confirm that you are a person.',
    } as Record<string, string>,
  },
};

export type Texts = typeof texts;
