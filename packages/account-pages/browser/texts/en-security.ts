/** The texts of what protects an account, and of its deletion. */
export const texts = {
  security: {
    overview: {
      title: 'What protects your account',
      password: 'Password',
      app: 'Authenticator app',
      codes: 'Recovery codes',
      on: 'On',
      off: 'Off',
      left: (left: number) => (left === 1 ? '1 left' : `${left} left`),
      nextPassword: 'Next: set a password. You can then sign in without your provider, too.',
      atOrganization: 'You sign in at your organization, which protects your account.',
      nextApp: 'Next: set up an authenticator app. Then nobody gets in with your password alone.',
      nextCodes: (left: number) =>
        `Next: create new recovery codes. ${left === 0 ? 'None is' : left === 1 ? 'Only one is' : `Only ${left} are`} left, and without them a lost device locks you out.`,
      done: 'Your account is well protected. There is nothing to do.',
    },
    password: {
      change: 'Change password',
      setFirst: 'Set a password',
      hint: 'Choose one that you use nowhere else.',
      explanation: 'Your other devices are signed out. You stay signed in here.',
      changed: 'Your password has been changed, and your other devices are signed out.',
      wasSet: 'Your password is set, and your other devices are signed out.',
      notAllowed: 'Your organization asks its people to sign in there, without a password.',
    },
    email: {
      change: 'Change e-mail',
      explanation:
        'We send a code to the new address. Your other devices are signed out once you have entered it. For three days, your old address can undo the change.',
      newAddress: 'New address',
      sendCode: 'Send the code',
      changed: 'Your address has been changed.',
    },
    app: {
      title: 'Authenticator app',
      hint: 'An app on your phone shows a new code every 30 seconds. Signing in then needs your password and a code.',
      since: (date: string, left: number) =>
        `Set up on ${date}. ${left === 1 ? '1 recovery code is' : `${left} recovery codes are`} left.`,
      resetAt: (date: string) =>
        `The support team has been asked to remove your authenticator app on ${date}. Was it not you? Sign in with a code of the app before, and nothing happens.`,
      setUp: 'Set up an app',
      scan: 'Scan this code with your authenticator app.',
      qr: 'QR code for the authenticator app',
      byHand: 'Type the key by hand',
      key: 'Key',
      enterCode: 'Then enter the code that the app shows.',
      confirm: 'Turn on',
      remove: 'Remove the app',
      removed: 'The authenticator app is removed.',
      removeQuestion: 'Remove the authenticator app?',
      removeExplanation: 'Your password alone is then enough to sign in. The recovery codes end too.',
      newCodes: 'New recovery codes',
      replaceQuestion: 'Create new recovery codes?',
      replaceExplanation: 'The codes that you have kept no longer work.',
      keepCodes: 'Keep these recovery codes',
      keepExplanation:
        'Each lets you sign in once if you lose your device. They are shown only now: print them, or keep them in a password manager.',
      download: 'Download',
      kept: 'I have kept them',
    },
  },
  ownData: {
    title: 'Download your data',
    hint: 'One file with your profile, devices, organizations, chatbots, webhooks and activity, without passwords and secrets. Three times a day.',
    action: 'Download data',
    downloaded: 'Your data is downloaded.',
  },
  deletion: {
    title: 'Delete your account',
    hint: 'Your account goes after 14 days. Until then you can sign in to keep it.',
    action: 'Delete account',
    question: 'Delete your account?',
    explanation:
      'All your devices are signed out now. After 14 days your account is removed with your chatbots and webhooks, and nobody can bring it back. Sign in before then to keep it.',
    soleOwner: (names: string) =>
      `You are the only Owner of ${names}. Transfer the ownership or close the organization first.`,
  },
  identity: {
    title: 'Is it you?',
    withPassword: 'Enter your password to go on. We ask when something important changes.',
    withCode: 'Enter the code that your authenticator app shows. We ask when something important changes.',
    atProvider: 'Sign in again at your organization to go on. Then begin again here.',
    submit: 'Continue',
    cancelled: 'Nothing was changed.',
    support: 'A support session cannot change this.',
  },
};

export type SecurityTexts = typeof texts;
