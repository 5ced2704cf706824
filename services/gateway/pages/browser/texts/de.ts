import type { Texts } from './en.ts';

export const texts: Texts = {
  titles: {
    'sign-in': 'Anmelden',
    'sign-up': 'Konto erstellen',
    code: 'Code eingeben',
    forgot: 'Passwort zurücksetzen',
    reset: 'Neues Passwort wählen',
  },
  fields: {
    email: 'E-Mail',
    password: 'Passwort',
    newPassword: 'Neues Passwort',
    name: 'Name',
    code: 'Sechsstelliger Code',
    show: 'Anzeigen',
    hide: 'Verbergen',
  },
  signIn: {
    submit: 'Anmelden',
    forgot: 'Passwort vergessen?',
    or: 'oder',
    sso: 'Single Sign-on verwenden',
    noAccount: 'Neu hier?',
    captcha: 'Bitte bestätigen Sie, dass Sie ein Mensch sind.',
  },
  signUp: {
    submit: 'Konto erstellen',
    passwordHint: 'Wählen Sie eines, das Sie nirgendwo sonst verwenden. Ein Satz ist besser als ein Wort.',
    haveAccount: 'Haben Sie schon ein Konto?',
  },
  code: {
    sentTo: 'Wir haben einen Code geschickt an',
    submit: 'Weiter',
    validFor: (time) => `Der Code gilt noch ${time}`,
    expired: 'Der Code ist abgelaufen',
    resend: 'Neuen Code senden',
    resent: 'Ein neuer Code ist unterwegs. Der vorige gilt nicht mehr.',
    otherAddress: 'Andere Adresse verwenden',
    nothingPending: 'Hier ist kein Code einzugeben. Melden Sie sich zuerst an oder erstellen Sie ein Konto.',
  },
  forgot: {
    explanation:
      'Geben Sie die Adresse Ihres Kontos ein. Wir senden Ihnen einen Code, mit dem Sie ein neues Passwort wählen.',
    submit: 'Code senden',
    back: 'Zurück zur Anmeldung',
  },
  reset: {
    submit: 'Passwort ändern',
  },
  session: {
    ended: {
      'signed out': 'Sie sind abgemeldet.',
      expired: 'Ihre Sitzung ist beendet. Bitte melden Sie sich erneut an.',
    },
  },
  errors: {
    offline: 'Sie sind offline. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    unreachable: 'Der Server hat nicht geantwortet. Bitte versuchen Sie es erneut.',
    unavailable: 'Auf unserer Seite ist etwas gestört. Bitte versuchen Sie es gleich noch einmal.',
    unexpected: 'Etwas ist schiefgegangen. Bitte versuchen Sie es erneut.',
    tooMany: (seconds) => `Zu viele Versuche. Bitte warten Sie ${seconds} Sekunden.`,
    field: () => 'Bitte prüfen Sie dieses Feld.',
    known: {
      'User not found': 'Zu dieser Adresse gibt es kein Konto.',
      'Email already registered': 'Zu dieser Adresse gibt es schon ein Konto. Melden Sie sich an.',
      'Invalid credentials': 'E-Mail oder Passwort ist falsch.',
      'Invalid OTP': 'Der Code stimmt nicht. Prüfen Sie die Ziffern oder fordern Sie einen neuen an.',
      'OTP expired': 'Der Code ist abgelaufen. Fordern Sie einen neuen an.',
      'Invalid or expired OTP': 'Der Code ist falsch oder abgelaufen. Fordern Sie einen neuen an.',
      'reCAPTCHA validation failed': 'Bitte bestätigen Sie, dass Sie ein Mensch sind.',
    },
  },
};
