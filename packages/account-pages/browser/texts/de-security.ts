import type { SecurityTexts } from './en-security.ts';

export const texts: SecurityTexts = {
  security: {
    overview: {
      title: 'Was Ihr Konto schützt',
      password: 'Passwort',
      app: 'Authenticator-App',
      passkeys: 'Passkeys',
      codes: 'Wiederherstellungscodes',
      on: 'An',
      off: 'Aus',
      left: (left) => `${left} übrig`,
      nextPassword:
        'Als Nächstes: Legen Sie ein Passwort fest. Dann können Sie sich auch ohne Ihren Anbieter anmelden.',
      atOrganization: 'Sie melden sich bei Ihrer Organisation an, die Ihr Konto schützt.',
      nextApp:
        'Als Nächstes: Richten Sie eine Authenticator-App ein. Dann kommt niemand allein mit Ihrem Passwort hinein.',
      nextCodes: (left) =>
        `Als Nächstes: Erstellen Sie neue Wiederherstellungscodes. ${left === 0 ? 'Es ist keiner' : left === 1 ? 'Nur einer ist' : `Nur ${left} sind`} übrig, und ohne sie sperrt ein verlorenes Gerät Sie aus.`,
      done: 'Ihr Konto ist gut geschützt. Es gibt nichts zu tun.',
    },
    password: {
      change: 'Passwort ändern',
      setFirst: 'Passwort festlegen',
      hint: 'Wählen Sie eines, das Sie sonst nirgends benutzen.',
      explanation: 'Ihre anderen Geräte werden abgemeldet. Hier bleiben Sie angemeldet.',
      changed: 'Ihr Passwort ist geändert, und Ihre anderen Geräte sind abgemeldet.',
      wasSet: 'Ihr Passwort ist festgelegt, und Ihre anderen Geräte sind abgemeldet.',
      notAllowed: 'Ihre Organisation lässt ihre Leute sich dort anmelden, ohne Passwort.',
    },
    email: {
      change: 'E-Mail ändern',
      explanation:
        'Wir senden einen Code an die neue Adresse. Sobald Sie ihn eingegeben haben, werden Ihre anderen Geräte abgemeldet. Drei Tage lang lässt sich die Änderung von der alten Adresse aus rückgängig machen.',
      newAddress: 'Neue Adresse',
      sendCode: 'Code senden',
      changed: 'Ihre Adresse ist geändert.',
    },
    passkeys: {
      title: 'Passkeys',
      hint: 'Melden Sie sich mit Fingerabdruck, Gesicht oder Gerätesperre an, ohne Passwort. Einen Passkey kann niemand erraten oder Ihnen entlocken.',
      unsupported: 'Dieser Browser kann hier keinen Passkey erstellen.',
      families: {
        synced: 'Auf allen Ihren Geräten',
        security_key: 'Sicherheitsschlüssel',
        device: 'Auf einem Gerät',
      },
      added: (date) => `Hinzugefügt am ${date}`,
      used: (ago) => `Zuletzt verwendet: ${ago}`,
      unused: 'Noch nicht verwendet',
      add: 'Passkey hinzufügen',
      addExplanation:
        'Ihr Browser fragt, wo der Passkey liegen soll: auf diesem Gerät, auf Ihrem Telefon oder auf einem Sicherheitsschlüssel.',
      create: 'Passkey erstellen',
      done: 'Der Passkey ist hinzugefügt. Sie können sich ab jetzt damit anmelden.',
      name: 'Name',
      nameHint: 'Zum Beispiel Telefon oder Arbeitslaptop.',
      rename: 'Umbenennen',
      renameOf: (name) => `${name} umbenennen`,
      renamed: 'Der Name ist gespeichert.',
      remove: 'Entfernen',
      removeOf: (name) => `${name} entfernen`,
      removeQuestion: 'Diesen Passkey entfernen?',
      removeExplanation: (name) =>
        `Mit ${name} können Sie sich dann nicht mehr anmelden. Löschen Sie ihn auch von Ihrem Gerät oder aus Ihrem Passwort-Manager.`,
      removeAction: 'Passkey entfernen',
      removed: 'Der Passkey ist entfernt.',
    },
    links: {
      title: 'Anbieter zum Anmelden',
      hint: 'Melden Sie sich mit einem Konto an, das Sie anderswo haben.',
      used: (ago) => `Zuletzt verwendet: ${ago}`,
      linked: 'Verknüpft',
      notLinked: 'Nicht verknüpft',
      link: 'Verknüpfen',
      linkOf: (provider) => `${provider} verknüpfen`,
      done: (provider) => `${provider} ist verknüpft. Sie können sich ab jetzt damit anmelden.`,
      unlink: 'Trennen',
      unlinkOf: (provider) => `${provider} trennen`,
      unlinkQuestion: (provider) => `${provider} trennen?`,
      unlinkExplanation: (provider) =>
        `Mit ${provider} können Sie sich dann nicht mehr anmelden, und Ihre anderen Geräte werden abgemeldet.`,
      unlinked: (provider) => `${provider} ist nicht mehr verknüpft.`,
    },
    app: {
      title: 'Authenticator-App',
      hint: 'Eine App auf Ihrem Telefon zeigt alle 30 Sekunden einen neuen Code. Zum Anmelden brauchen Sie dann Ihr Passwort und einen Code.',
      since: (date, left) =>
        `Eingerichtet am ${date}. ${left === 1 ? '1 Wiederherstellungscode ist' : `${left} Wiederherstellungscodes sind`} übrig.`,
      resetAt: (date) =>
        `Der Support wurde gebeten, Ihre Authenticator-App am ${date} zu entfernen. Das waren nicht Sie? Melden Sie sich vorher mit einem Code der App an, dann geschieht nichts.`,
      setUp: 'App einrichten',
      scan: 'Scannen Sie diesen Code mit Ihrer Authenticator-App.',
      qr: 'QR-Code für die Authenticator-App',
      byHand: 'Schlüssel von Hand eingeben',
      key: 'Schlüssel',
      enterCode: 'Geben Sie dann den Code ein, den die App zeigt.',
      confirm: 'Einschalten',
      remove: 'App entfernen',
      removed: 'Die Authenticator-App ist entfernt.',
      removeQuestion: 'Authenticator-App entfernen?',
      removeExplanation:
        'Zum Anmelden genügt dann Ihr Passwort. Auch die Wiederherstellungscodes gelten nicht mehr.',
      newCodes: 'Neue Wiederherstellungscodes',
      replaceQuestion: 'Neue Wiederherstellungscodes erstellen?',
      replaceExplanation: 'Die Codes, die Sie aufbewahrt haben, gelten dann nicht mehr.',
      keepCodes: 'Bewahren Sie diese Codes auf',
      keepExplanation:
        'Mit jedem können Sie sich einmal anmelden, wenn Sie Ihr Gerät verlieren. Sie werden nur jetzt gezeigt: Drucken Sie sie aus oder legen Sie sie in einen Passwort-Manager.',
      download: 'Herunterladen',
      kept: 'Ich habe sie aufbewahrt',
    },
  },
  ownData: {
    title: 'Ihre Daten herunterladen',
    hint: 'Eine Datei mit Profil, Geräten, Organisationen, Chatbots, Webhooks und Aktivität, ohne Passwörter und Geheimnisse. Dreimal am Tag.',
    action: 'Daten herunterladen',
    downloaded: 'Ihre Daten sind heruntergeladen.',
  },
  deletion: {
    title: 'Konto löschen',
    hint: 'Ihr Konto wird nach 14 Tagen entfernt. Bis dahin behalten Sie es, wenn Sie sich anmelden.',
    action: 'Konto löschen',
    question: 'Konto löschen?',
    explanation:
      'Alle Ihre Geräte werden jetzt abgemeldet. Nach 14 Tagen wird Ihr Konto mit Ihren Chatbots und Webhooks entfernt, und niemand kann es zurückholen. Melden Sie sich vorher an, um es zu behalten.',
    soleOwner: (names) =>
      `Sie sind der einzige Inhaber von ${names}. Übertragen Sie zuerst die Inhaberschaft oder schließen Sie die Organisation.`,
  },
  identity: {
    title: 'Sind Sie es?',
    withPassword: 'Geben Sie Ihr Passwort ein, um fortzufahren. Das fragen wir vor wichtigen Änderungen.',
    withCode:
      'Geben Sie den Code ein, den Ihre Authenticator-App zeigt. Das fragen wir vor wichtigen Änderungen.',
    atProvider: 'Melden Sie sich noch einmal an, und beginnen Sie dann hier von vorn.',
    withPasskey: 'Verwenden Sie einen Passkey, um fortzufahren. Das fragen wir vor wichtigen Änderungen.',
    again: (provider) => `Noch einmal bei ${provider} anmelden`,
    submit: 'Weiter',
    cancelled: 'Es wurde nichts geändert.',
    support: 'In einer Support-Sitzung lässt sich das nicht ändern.',
  },
};
