/** The texts of the pages for somebody who is not signed in. */
export const texts = {
  signIn: {
    submit: 'Sign in',
    forgot: 'Forgot your password?',
    or: 'or',
    sso: 'Use single sign-on',
    next: 'Continue',
    change: 'Change',
    continueAt: (organization: string) => `Continue at ${organization}`,
    /** Followed by the name of a provider. */
    continueWith: 'Continue with',
    passkey: 'Sign in with a passkey',
    code: 'E-mail me a code',
    lastUsed: 'Last used',
    toSso: 'Go to single sign-on',
    noAccount: 'New here?',
    done: {
      verified: 'Your account is verified. Sign in to begin.',
      reset: 'Your password has been changed. Sign in with the new one.',
    },
  },
  passkeys: {
    use: 'Use a passkey',
    notUsed: 'No passkey was used. Try again, or choose another way.',
    known: 'There is a passkey for your account on this device already.',
    otherSite: 'Passkeys do not work at this address. Choose another way.',
  },
  codeLogin: {
    explanation: 'Enter the address of your account. We send you a code that signs you in.',
    sentTo: 'If there is an account with this address, a code is on its way to',
    otherAddress: 'Use another address',
    byLink: 'You are about to sign in as',
    wrong: 'This code is wrong or has expired. Check the digits, or send another code.',
  },
  sso: {
    explanation: 'Sign in with the account that you have at your organization.',
    organization: 'Work e-mail or organization',
    hint: 'For example you@company.com, or the short name of your organization.',
    submit: 'Continue',
    unknown: 'No organization with single sign-on was found. Check the spelling, or ask your administrator.',
    directory: 'Sign in with the user name and password of your organization.',
    finishing: 'Signing you in…',
    otherWay: 'Sign in another way',
  },
  invitation: {
    explanation:
      'Create an account with the address that the invitation was mailed to. You join the team when you enter the code that we send you. If you already have an account, sign in.',
    known: 'Sign in to accept or decline the invitation. Nothing happens before you accept it.',
    address: 'The invitation was mailed to',
    unexpected: 'Not expecting this? Ignore the mail. Nothing happens unless you accept.',
  },
  undoEmail: {
    explanation:
      'The account gets this address back, and everybody who is signed in is signed out. Choose a new password afterwards.',
    submit: 'Undo the change',
    incomplete: 'This link is incomplete. Open it from the mail once more.',
    done: 'The account has its old address again. The old password no longer works: choose a new one.',
  },
  signUp: {
    submit: 'Create account',
    passwordHint: 'Choose one that you use nowhere else. A sentence is better than a word.',
    unverified:
      'The account of this address has never been verified. Create it again, and enter the code that we send you then.',
    haveAccount: 'Already have an account?',
  },
  forgot: {
    explanation: 'Enter the address of your account. We send you a code to choose a new password.',
    submit: 'Send code',
    back: 'Back to sign-in',
  },
  reset: {
    submit: 'Change password',
  },
};

export type VisitorTexts = typeof texts;
