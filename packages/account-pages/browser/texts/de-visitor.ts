import type { VisitorTexts } from './en-visitor.ts';

export const texts: VisitorTexts = {
  signIn: {
    submit: 'Anmelden',
    forgot: 'Passwort vergessen?',
    or: 'oder',
    sso: 'Single Sign-on',
    next: 'Weiter',
    change: 'Ändern',
    continueAt: (organization) => `Weiter bei ${organization}`,
    continueWith: 'Weiter mit',
    passkey: 'Mit Passkey anmelden',
    code: 'Code per E-Mail',
    lastUsed: 'Zuletzt',
    toSso: 'Weiter zum Single Sign-on',
    noAccount: 'Neu hier?',
    done: {
      verified: 'Ihr Konto ist bestätigt. Melden Sie sich an, um zu beginnen.',
      reset: 'Ihr Passwort ist geändert. Melden Sie sich mit dem neuen an.',
    },
  },
  passkeys: {
    use: 'Passkey verwenden',
    notUsed:
      'Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal, oder wählen Sie einen anderen Weg.',
    known: 'Auf diesem Gerät gibt es schon einen Passkey für Ihr Konto.',
    otherSite: 'Unter dieser Adresse funktionieren Passkeys nicht. Wählen Sie einen anderen Weg.',
  },
  codeLogin: {
    explanation:
      'Geben Sie die Adresse Ihres Kontos ein. Wir senden Ihnen einen Code, mit dem Sie sich anmelden.',
    sentTo: 'Wenn es ein Konto mit dieser Adresse gibt, ist ein Code unterwegs an',
    otherAddress: 'Andere Adresse verwenden',
    byLink: 'Sie melden sich an als',
    wrong: 'Dieser Code ist falsch oder abgelaufen. Prüfen Sie die Ziffern, oder fordern Sie einen neuen an.',
  },
  sso: {
    explanation: 'Melden Sie sich mit dem Konto an, das Sie bei Ihrer Organisation haben.',
    organization: 'Berufliche E-Mail oder Organisation',
    hint: 'Zum Beispiel sie@firma.de oder der Kurzname Ihrer Organisation.',
    submit: 'Weiter',
    unknown:
      'Es wurde keine Organisation mit Single Sign-on gefunden. Prüfen Sie die Schreibweise, oder fragen Sie Ihre Administration.',
    directory: 'Melden Sie sich mit Benutzernamen und Passwort Ihrer Organisation an.',
    finishing: 'Sie werden angemeldet …',
    otherWay: 'Auf andere Weise anmelden',
  },
  invitation: {
    explanation:
      'Erstellen Sie ein Konto mit der Adresse, an die die Einladung ging. Sie gehören zum Team, sobald Sie den Code eingeben, den wir Ihnen senden. Wenn Sie schon ein Konto haben, melden Sie sich an.',
    known: 'Melden Sie sich an, um die Einladung anzunehmen oder abzulehnen. Vorher geschieht nichts.',
    address: 'Die Einladung ging an',
    unexpected:
      'Sie haben keine Einladung erwartet? Dann ignorieren Sie die Mail. Es geschieht nichts, solange Sie kein Konto erstellen.',
  },
  undoEmail: {
    explanation:
      'Das Konto erhält diese Adresse zurück, und alle Geräte werden abgemeldet. Wählen Sie danach ein neues Passwort.',
    submit: 'Änderung rückgängig machen',
    incomplete: 'Dieser Link ist unvollständig. Öffnen Sie ihn noch einmal aus der E-Mail.',
    done: 'Das Konto hat wieder seine alte Adresse. Das alte Passwort gilt nicht mehr: Wählen Sie ein neues.',
  },
  signUp: {
    submit: 'Konto erstellen',
    passwordHint: 'Wählen Sie eines, das Sie nirgendwo sonst verwenden. Ein Satz ist besser als ein Wort.',
    unverified:
      'Das Konto dieser Adresse wurde nie bestätigt. Erstellen Sie es noch einmal, und geben Sie den Code ein, den wir Ihnen dann senden.',
    haveAccount: 'Haben Sie schon ein Konto?',
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
};
