import type { Texts } from './en.ts';

export const texts: Texts = {
  titles: {
    'sign-in': 'Anmelden',
    'sign-up': 'Konto erstellen',
    code: 'Code eingeben',
    forgot: 'Passwort zurücksetzen',
    reset: 'Neues Passwort wählen',
    profile: 'Ihr Profil',
    chatbots: 'Chatbots',
    organization: 'Organisation',
    webhooks: 'Webhooks',
    sso: 'Single Sign-on',
    invitation: 'Einladung in ein Team',
    'undo-email': 'Änderung Ihrer Adresse rückgängig machen',
    'code-login': 'Mit einem Code anmelden',
    support: 'Support-Sitzung',
  },
  fields: {
    email: 'E-Mail',
    password: 'Passwort',
    newPassword: 'Neues Passwort',
    name: 'Name',
    username: 'Benutzername',
    code: 'Sechsstelliger Code',
    show: 'Anzeigen',
    hide: 'Verbergen',
  },
  strength: {
    label: 'Stärke des Passworts',
    levels: [
      'Leicht zu erraten. Länger ist besser: mehrere Wörter, die nicht zusammengehören.',
      'Ordentlich. Einige Zeichen mehr machen es viel schwerer zu erraten.',
      'Gut.',
      'Sehr gut.',
    ],
  },
  factor: {
    explanation: 'Geben Sie den Code ein, den Ihre Authenticator-App zeigt.',
    submit: 'Weiter',
    lost: 'Gerät verloren? Wiederherstellungscode verwenden',
    found: 'Code der App verwenden',
    recoveryCode: 'Wiederherstellungscode',
    recoveryHint:
      'Einer der zehn Codes, die Sie beim Einrichten der App aufbewahrt haben. Jeder gilt einmal.',
    noneLeft: 'Ohne Ihr Gerät und Ihre Wiederherstellungscodes kann Ihnen nur der Support weiterhelfen.',
    startAgain: 'Von vorn beginnen',
    setUp: 'Zweiten Faktor einrichten',
  },
  captcha: {
    label: 'Prüfung, dass Sie ein Mensch sind',
    failed: 'Das CAPTCHA konnte nicht geladen werden.',
  },
  support: {
    label: 'Support-Sitzung',
    leave: 'Verlassen',
    end: 'Beenden',
    read: 'Nur lesend',
    full: 'Darf ändern',
    by: (operator) => `von ${operator}`,
    until: (time) => `bis ${time}`,
    replaceTitle: 'Support-Sitzung öffnen?',
    replaces:
      'Sie sind in diesem Tab angemeldet. Wenn Sie die Support-Sitzung öffnen, werden Sie hier abgemeldet.',
    decline: 'Angemeldet bleiben',
    open: 'Support-Sitzung öffnen',
    checking: 'Der Support-Link wird geprüft …',
    incomplete: 'Dieser Support-Link ist unvollständig. Fordern Sie einen neuen an.',
    invalid: 'Dieser Support-Link gilt nicht mehr. Fordern Sie einen neuen an.',
    otherAccount: 'Dieser Support-Link gehört nicht zu dem Konto, das er nennt. Er wurde nicht geöffnet.',
  },
  code: {
    sentTo: 'Wir haben einen Code geschickt an',
    submit: 'Weiter',
    validFor: (time) => `Der Code gilt noch ${time}`,
    expired: 'Der Code ist abgelaufen',
    dead: 'Dieser Code gilt nicht mehr, weil fünfmal ein falscher eingegeben wurde. Fordern Sie einen neuen an.',
    deadShort: 'Der Code gilt nicht mehr',
    resend: 'Neuen Code senden',
    resent: 'Ein neuer Code ist unterwegs. Der vorige gilt nicht mehr.',
    otherAddress: 'Andere Adresse verwenden',
    nothingPending: 'Hier ist kein Code einzugeben. Melden Sie sich zuerst an oder erstellen Sie ein Konto.',
  },
  navigation: {
    label: 'Hauptmenü',
    profile: 'Profil',
    chatbots: 'Chatbots',
    organization: 'Organisation',
    webhooks: 'Webhooks',
    signOut: 'Abmelden',
  },
  table: {
    loading: 'Wird geladen',
    retry: 'Erneut versuchen',
    pages: 'Seiten',
    previous: 'Zurück',
    next: 'Weiter',
    position: (page, pages, total) => `Seite ${page} von ${pages} (insgesamt ${total})`,
  },
  dialog: { close: 'Schließen', cancel: 'Abbrechen' },
  session: {
    expiresIn: (minutes) =>
      minutes === 1 ? 'Ihre Sitzung endet in einer Minute.' : `Ihre Sitzung endet in ${minutes} Minuten.`,
    extend: 'Angemeldet bleiben',
    ending: 'Sie werden abgemeldet …',
    mayBeOpen:
      'Der Server war nicht erreichbar, Ihre Sitzung ist vielleicht noch offen. Lassen Sie diese Seite offen: Sie meldet Sie ab, sobald der Server antwortet.',
    ended: {
      'signed out': 'Sie sind abgemeldet.',
      expired: 'Ihre Sitzung ist beendet. Bitte melden Sie sich erneut an.',
      left: 'Sie haben die Support-Sitzung verlassen.',
      deleted:
        'Ihr Konto wird gelöscht. Den Tag haben wir Ihnen per E-Mail mitgeteilt; melden Sie sich vorher an, um das Konto zu behalten.',
    },
  },
  errors: {
    offline: 'Sie sind offline. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    unreachable: 'Der Server hat nicht geantwortet. Bitte versuchen Sie es erneut.',
    unavailable: 'Auf unserer Seite ist etwas gestört. Bitte versuchen Sie es gleich noch einmal.',
    unexpected: 'Etwas ist schiefgegangen. Bitte versuchen Sie es erneut.',
    tooMany: (duration, time) => `Zu viele Versuche. Sie können weitermachen in ${duration}, um ${time}.`,
    field: () => 'Bitte prüfen Sie dieses Feld.',
    quotas: {
      departments: (plan, limit) =>
        `Der Tarif ${plan} erlaubt ${limit} Abteilungen. Entfernen Sie eine, oder wählen Sie für eine Abteilung einen höheren Tarif.`,
      members: (plan, limit) =>
        `Der Tarif ${plan} erlaubt ${limit} Mitglieder je Abteilung. Entfernen Sie jemanden, oder wählen Sie einen höheren Tarif.`,
      webhooks: (plan, limit) =>
        `Der Tarif ${plan} erlaubt hier ${limit} Webhooks. Löschen Sie einen, oder wählen Sie einen höheren Tarif.`,
    },
    known: {
      'A read-only support session changes nothing':
        'Diese Support-Sitzung ist nur lesend. Es wurde nichts geändert.',
      'Only the person themselves may do this':
        'Das geht nicht in einer Support-Sitzung. Nur die Person selbst darf es tun.',
      'User not found': 'Zu dieser Adresse gibt es kein Konto.',
      'Email already registered': 'Zu dieser Adresse gibt es schon ein Konto. Melden Sie sich an.',
      'Invalid credentials': 'E-Mail oder Passwort ist falsch.',
      'Invalid code': 'Der Code stimmt nicht oder wurde schon benutzt. Warten Sie auf den nächsten.',
      'The passkey was not accepted':
        'Dieser Passkey wurde nicht angenommen. Vielleicht ist er vom Konto entfernt worden.',
      'The request for a passkey has expired, please try again':
        'Das hat zu lange gedauert. Bitte versuchen Sie es noch einmal.',
      'Nothing else opens the account. Please set a password or add another way to log in first.':
        'Das ist der einzige Weg in Ihr Konto. Legen Sie zuerst ein Passwort fest, oder fügen Sie einen anderen Weg hinzu.',
      'The login has expired, please log in again': 'Das hat zu lange gedauert. Bitte beginnen Sie von vorn.',
      'Invalid OTP': 'Der Code stimmt nicht. Prüfen Sie die Ziffern oder fordern Sie einen neuen an.',
      'OTP expired': 'Der Code ist abgelaufen. Fordern Sie einen neuen an.',
      'Invalid or expired OTP': 'Der Code ist falsch oder abgelaufen. Fordern Sie einen neuen an.',
      Forbidden: 'Ihre Rolle erlaubt das nicht. Vielleicht hat sie sich geändert: Laden Sie die Seite neu.',
      'Not found': 'Das gibt es nicht mehr, oder Sie haben keinen Zugriff mehr.',
      'Resource already exists': 'Diesen Namen gibt es schon. Wählen Sie einen anderen.',
      'Already a member': 'Diese Person ist schon Mitglied.',
      'An Owner of the organization is Owner in every department':
        'Diese Person ist Inhaber der Organisation und damit in jeder Abteilung.',
      'The last Owner cannot be removed':
        'Sie sind der letzte Inhaber. Fügen Sie zuerst einen weiteren hinzu, oder übergeben Sie die Inhaberschaft.',
      'The last Owner cannot leave: transfer the ownership to somebody else, or archive the organization':
        'Sie sind der letzte Inhaber. Übergeben Sie die Inhaberschaft, oder schließen Sie die Organisation.',
      'The department is archived': 'Die Abteilung ist archiviert: Darin lässt sich nichts ändern.',
      'The organization is archived': 'Die Organisation ist geschlossen: Darin lässt sich nichts ändern.',
      'You are an Owner already': 'Sie sind schon Inhaber.',
      'The user is an Owner already': 'Diese Person ist schon Inhaber.',
      'An organization has at most 20 pending offers':
        'Es gibt schon 20 offene Angebote. Ziehen Sie zuerst eines zurück.',
      'The invitation was declined': 'Die Person hat die Einladung abgelehnt.',
      'The offer was declined': 'Die Person hat das Angebot abgelehnt.',
      'An organization has at most 100 Owners': 'Eine Organisation hat höchstens 100 Inhaber.',
      'reCAPTCHA validation failed': 'Bitte bestätigen Sie, dass Sie ein Mensch sind.',
      'The organization requires a second factor. Please set one up in your profile and try again.':
        'Diese Organisation verlangt einen zweiten Faktor. Richten Sie einen in Ihrem Profil unter „Anmeldung und Sicherheit“ ein; danach ist alles wieder offen.',
      'Your organization requires single sign-on. Please log in through your identity provider.':
        'Ihre Organisation verlangt Single Sign-on. Mit Ihrem Passwort können Sie sich hier nicht anmelden.',
      'Your identity provider could not be reached. Please try again in a few minutes.':
        'Die Anmeldung Ihrer Organisation ist nicht erreichbar. Bitte versuchen Sie es in einigen Minuten erneut.',
      'This login was not begun in this browser, or it took too long. Please begin again.':
        'Diese Anmeldung hat nicht in diesem Browser begonnen oder zu lange gedauert. Bitte beginnen Sie erneut.',
      'The user name or the password is wrong.': 'Benutzername oder Passwort ist falsch.',
    },
  },
};
