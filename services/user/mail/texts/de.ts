import type { MailTexts } from '../mails.ts';

const WARNINGS = {
  none: 'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Mail.',
  repeatedSignup: `Mit dieser Adresse wurde mehr als einmal ein Konto angelegt. Dieser Code ersetzt die früheren.

Geben Sie ihn nur ein, wenn die letzte Registrierung von Ihnen war. Sonst benutzt jemand anderes Ihre Adresse: Ignorieren Sie diese Mail. Um Ihr Konto anzulegen, registrieren Sie sich selbst und geben den Code ein, den Sie dann bekommen.`,
  notVerified: `Das Konto dieser Adresse ist noch nicht bestätigt. Wer es mit diesem Code bestätigt, aktiviert die letzte Registrierung.

Tun Sie das nur, wenn die letzte Registrierung von Ihnen war. Sonst benutzt jemand anderes Ihre Adresse: Registrieren Sie sich selbst und geben Sie den Code ein, den Sie dann bekommen. Wenn Sie diesen Code nicht angefordert haben, ignorieren Sie diese Mail.`,
  signUpAgain: `Mit dieser Adresse wurde mehr als einmal ein Konto angelegt, daher entsteht durch diesen Code allein kein Konto.

Um Ihr Konto anzulegen, registrieren Sie sich noch einmal und geben den Code ein, den Sie dann bekommen. Wenn die Seite noch offen ist, auf der Sie sich registriert und diesen Code angefordert haben, können Sie ihn stattdessen dort eingeben. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Mail.`,
};

const UNTIL_THEN = 'Bis Sie annehmen, erfährt dort niemand etwas über Sie.';
const UNEXPECTED = 'Wenn Sie nicht wissen, wer Sie einlädt, ignorieren Sie diese Mail.';

/** The consequences for the account of a person whom a provider has deleted. */
const DELETED = {
  disabled:
    'Das Konto ist gesperrt, und seine Sitzungen sind beendet. Das Konto selbst, seine Mitgliedschaften und Chatbots bleiben erhalten: Entscheiden Sie, was daraus wird.',
  foreign:
    'Die Adresse gehört zu keiner Domain, die die Organisation bestätigt hat, daher bleibt das Konto aktiv. Über diesen Anbieter kann es sich nicht mehr anmelden. Entscheiden Sie, ob seine Mitgliedschaften enden.',
  kept: 'Die Sitzungen, die bei diesem Anbieter begonnen haben, sind beendet. Das Konto, seine Mitgliedschaften und Chatbots bleiben erhalten, ebenso sein Passwort, falls es eines hat: Entscheiden Sie, was daraus wird.',
};

const WEBHOOK_REASONS = {
  gone: 'Der Empfänger hat mit 410 Gone geantwortet und will damit nichts mehr bekommen.',
  failing: 'Seit drei Tagen ist jeder Versuch fehlgeschlagen, ihm etwas zuzustellen.',
};

const dayOf = (date: Date): string => date.toLocaleDateString('de', { dateStyle: 'long', timeZone: 'UTC' });
const timeOf = (date: Date): string => `${dayOf(date)}, ${date.toISOString().slice(11, 16)} Uhr UTC`;

/** For a change that only the person, or whoever can sign in as them, can make. */
const secure = (url: string, after = 'Damit enden alle Sitzungen.') => ({
  text: 'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, kann jemand anderes Ihr Konto benutzen. Wählen Sie dann sofort ein neues Passwort:',
  url,
  after,
});

const NO_CODE =
  'Damit enden alle Sitzungen. Wenn Sie danach nach einem Code gefragt werden, den Sie nicht haben, wenden Sie sich an den Betreiber dieses Dienstes.';

const REMOVE_PASSKEY =
  'Damit enden alle Sitzungen. Entfernen Sie danach den Passkey in den Sicherheitseinstellungen Ihres Profils: Ein neues Passwort entfernt ihn nicht.';

export const de: MailTexts = {
  code: ({ otp, validity, warning }) => ({
    subject: 'Ihr Code',
    content: [
      { text: 'Ihr Code lautet', code: otp },
      `Er ist ${validity} Sekunden gültig. ${WARNINGS[warning]}`,
    ],
  }),

  addressCode: ({ code, minutes }) => ({
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    content: [
      { text: 'Ihr Code lautet', code },
      `Er ist ${minutes} Minuten gültig. Mit ihm wird diese Adresse die Adresse Ihres Kontos. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Mail: Nichts ändert sich.`,
    ],
  }),

  addressTaken: ({ login }) => ({
    subject: 'Diese Adresse hat ein Konto',
    content: [
      'Jemand wollte diese Adresse für ein anderes Konto benutzen. Sie hat aber ein eigenes Konto, daher ändert sich nichts.',
      {
        text: 'Wenn Sie das waren, melden Sie sich mit dieser Adresse an, oder wählen Sie für das andere Konto eine andere:',
        url: login,
        after: 'Wenn nicht, ignorieren Sie diese Mail.',
      },
    ],
  }),

  loginCode: ({ code, minutes }, url) => ({
    subject: 'Ihr Code für die Anmeldung',
    content: [
      { text: 'Ihr Code lautet', code },
      {
        text: `Er gilt ${minutes} Minuten und meldet Sie einmal an. Sie können auch diese Seite öffnen, auf jedem Gerät, und ihren Knopf drücken:`,
        url,
        after:
          'Geben Sie den Code und den Link niemals weiter: Wer sie hat, kann sich als Sie anmelden. Wenn Sie den Code nicht angefordert haben, ignorieren Sie diese Mail.',
      },
    ],
  }),

  invitation: ({ organization, department, url, hasAccount }) => ({
    subject: 'Sie sind in ein Team eingeladen',
    content: [
      `Sie sind in „${department}“ bei „${organization}“ eingeladen.`,
      hasAccount
        ? {
            text: 'Melden Sie sich an, um anzunehmen oder abzulehnen:',
            url,
            after: `${UNTIL_THEN} ${UNEXPECTED}`,
          }
        : {
            text: 'Registrieren Sie sich mit dieser Adresse:',
            url,
            after: `Sie werden Mitglied, sobald Sie Ihre Adresse bestätigen. ${UNEXPECTED}`,
          },
    ],
  }),

  offer: ({ organization, url, transfer }) => ({
    subject: 'Ihnen wird eine Organisation angeboten',
    content: [
      transfer
        ? `Ein Owner von „${organization}“ möchte Ihnen die Organisation übergeben.`
        : `Sie sollen Owner von „${organization}“ werden.`,
      {
        text: 'Melden Sie sich an, um anzunehmen oder abzulehnen:',
        url,
        after: `${UNTIL_THEN} ${UNEXPECTED}`,
      },
    ],
  }),

  deprovisioned: ({ organization, email, account }) => ({
    subject: 'Ein Konto wurde beim Anbieter gelöscht',
    content: [`Der Identitätsanbieter von „${organization}“ hat ${email} gelöscht.`, DELETED[account]],
  }),

  certificate: ({ organization, connection, expires, hasSuccessor }) => ({
    subject: 'Ein Zertifikat Ihres Identitätsanbieters läuft ab',
    content: [
      `Ein Zertifikat, mit dem der Identitätsanbieter von „${organization}“ Anmeldungen für die Verbindung „${connection}“ signiert, läuft am ${dayOf(expires)} ab.`,
      hasSuccessor
        ? 'Die Verbindung hat ein weiteres Zertifikat, das länger gilt. Sorgen Sie dafür, dass der Anbieter vor diesem Tag damit signiert.'
        : 'Ersetzen Sie es beim Anbieter, und tragen Sie das neue Zertifikat in die Verbindung ein, bevor der Anbieter damit signiert. Eine Verbindung mit einer Metadaten-Adresse übernimmt neue Zertifikate jeden Tag von dort.',
    ],
  }),

  webhook: ({ webhook_id, host, shared, reason }, pages) => ({
    subject: 'Ein Webhook wurde abgeschaltet',
    content: [
      `${shared ? 'Der Webhook Ihrer Organisation' : 'Ihr Webhook'} an ${host} wurde abgeschaltet. ${WEBHOOK_REASONS[reason]}`,
      'Er bekommt keine neuen Ereignisse. Zustellungen, die noch warten, bleiben vorerst erhalten.',
      {
        text: 'Sobald der Empfänger wieder arbeitet, schalten Sie den Webhook ein:',
        url: pages.webhook(webhook_id),
        after: 'Dann werden die wartenden Zustellungen gesendet.',
      },
    ],
  }),

  payment: ({ organization, department, endsAt }) => ({
    subject: 'Eine Zahlung ist fehlgeschlagen',
    content: [
      `Die Zahlung für den Tarif Enterprise von „${department}“ bei „${organization}“ ist fehlgeschlagen.`,
      `Single Sign-on bleibt bis zum ${dayOf(endsAt)} verfügbar. Gelingt bis dahin keine Zahlung, endet es: Alle melden sich dann mit ihrem Passwort an, und wer keines hat, setzt es mit einem Code zurück.`,
    ],
  }),

  notices: {
    password_changed: (_, { forgotPassword }) => ({
      subject: 'Ihr Passwort wurde geändert',
      happened: 'Das Passwort Ihres Kontos wurde geändert. Ihre anderen Sitzungen sind beendet.',
      otherwise: secure(forgotPassword),
    }),
    password_set: (_, { forgotPassword }) => ({
      subject: 'Ihr Konto hat ein Passwort',
      happened:
        'Für Ihr Konto, das keines hatte, wurde ein Passwort gesetzt. Sie können sich nun damit anmelden.',
      otherwise: secure(forgotPassword),
    }),
    password_reset: (_, { forgotPassword }) => ({
      subject: 'Ihr Passwort wurde zurückgesetzt',
      happened:
        'Für Ihr Konto wurde ein neues Passwort gesetzt, mit einem Code, der an diese Adresse gesendet wurde. Alle früheren Sitzungen sind beendet.',
      otherwise: {
        text: 'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, kann jemand anderes Ihre Mails lesen. Sichern Sie zuerst Ihr Postfach, und wählen Sie dann ein neues Passwort:',
        url: forgotPassword,
      },
    }),
    email_change_requested: ({ email }, { forgotPassword }) => ({
      subject: 'Für Ihr Konto wurde eine neue E-Mail-Adresse beantragt',
      happened: `Jemand möchte die E-Mail-Adresse Ihres Kontos in ${email} ändern. Das geschieht erst, wenn der Code eingegeben wird, den die neue Adresse per Mail erhält.`,
      otherwise: secure(forgotPassword),
    }),
    email_changed: ({ email, undo }, { undoEmail }) => ({
      subject: 'Die E-Mail-Adresse Ihres Kontos wurde geändert',
      happened: `Die E-Mail-Adresse Ihres Kontos lautet nun ${email}. Damit melden Sie sich an, und dorthin gehen Mails.`,
      otherwise: {
        text: 'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, machen Sie die Änderung innerhalb von drei Tagen rückgängig:',
        url: undoEmail(undo),
        after:
          'Damit gilt wieder die Adresse dieses Postfachs, und alle Sitzungen enden. Das Passwort wird ungültig, und Sie wählen ein neues.',
      },
    }),
    email_change_undone: (_, { forgotPassword }) => ({
      subject: 'Die E-Mail-Adresse Ihres Kontos wurde wiederhergestellt',
      happened:
        'Die Änderung der E-Mail-Adresse Ihres Kontos wurde rückgängig gemacht. Das Konto hat wieder diese Adresse, und alle Sitzungen sind beendet.',
      otherwise: {
        text: 'Wer die Adresse geändert hatte, war in Ihrem Konto angemeldet. Wählen Sie ein neues Passwort:',
        url: forgotPassword,
      },
    }),
    email_changed_by_provider: ({ email }) => ({
      subject: 'Die E-Mail-Adresse Ihres Kontos wurde geändert',
      happened: `Ihre Organisation hat die E-Mail-Adresse Ihres Kontos in ${email} geändert. Damit melden Sie sich an, und dorthin gehen Mails.`,
      otherwise:
        'Wenn Sie das nicht erwartet haben, fragen Sie bitte die Administratoren Ihrer Organisation.',
    }),
    totp_enabled: (_, { forgotPassword }) => ({
      subject: 'Eine Authenticator-App schützt Ihr Konto',
      happened: 'Ab jetzt braucht die Anmeldung an Ihrem Konto auch einen Code aus einer Authenticator-App.',
      otherwise: secure(forgotPassword, NO_CODE),
    }),
    totp_disabled: (_, { forgotPassword }) => ({
      subject: 'Ihr Konto fragt nicht mehr nach Codes',
      happened:
        'Die Authenticator-App wurde von Ihrem Konto entfernt. Zur Anmeldung genügt nun das Passwort allein.',
      otherwise: secure(forgotPassword),
    }),
    link_added: ({ provider }, { forgotPassword }) => ({
      subject: 'Ihr Konto hat einen neuen Anmeldeweg',
      happened: `Ein Konto bei ${provider} wurde mit Ihrem Konto verknüpft. Ab jetzt meldet es an Ihrem Konto an.`,
      otherwise: secure(
        forgotPassword,
        'Das beendet jede Sitzung. Entfernen Sie danach die Verknüpfung in Ihrem Profil.',
      ),
    }),
    link_removed: ({ provider }, { forgotPassword }) => ({
      subject: 'Ihr Konto hat einen Anmeldeweg weniger',
      happened: `Die Verknüpfung mit einem Konto bei ${provider} wurde entfernt. Es meldet nicht mehr an Ihrem Konto an, und Ihre anderen Sitzungen wurden beendet.`,
      otherwise: secure(forgotPassword),
    }),
    recovery_codes_replaced: (_, { forgotPassword }) => ({
      subject: 'Ihr Konto hat neue Wiederherstellungscodes',
      happened: 'Für Ihr Konto wurden neue Wiederherstellungscodes erzeugt. Die früheren gelten nicht mehr.',
      otherwise: secure(forgotPassword, NO_CODE),
    }),
    recovery_code_used: ({ left }, { forgotPassword }) => ({
      subject: 'Ein Wiederherstellungscode Ihres Kontos wurde benutzt',
      happened: `Jemand hat anstelle Ihres zweiten Faktors einen Wiederherstellungscode benutzt. ${left === 1 ? 'Ein Code ist' : `${left} Codes sind`} übrig.`,
      otherwise: secure(forgotPassword),
    }),
    factor_codes_wrong: (_, { forgotPassword }) => ({
      subject: 'Jemand kennt das Passwort Ihres Kontos',
      happened:
        'Nach dem richtigen Passwort wurden fünf falsche Codes Ihres zweiten Faktors eingegeben. Keine Anmeldung war damit erfolgreich.',
      otherwise: secure(forgotPassword),
    }),
    factor_reset_requested: ({ effective_at }, { forgotPassword }) => ({
      subject: 'Der zweite Faktor Ihres Kontos wird entfernt',
      happened: `Ein Betreiber dieses Dienstes entfernt den zweiten Faktor Ihres Kontos. Er endet am ${timeOf(effective_at)}. Danach genügt zur Anmeldung das Passwort allein.`,
      otherwise: {
        text: 'Wenn Sie nicht darum gebeten haben, melden Sie sich vorher mit einem Code an: Dann bleibt der zweite Faktor bestehen. Wählen Sie außerdem ein neues Passwort:',
        url: forgotPassword,
      },
    }),
    support_session: ({ mode, until, reason }) => ({
      subject: 'Ein Betreiber hat Ihr Konto geöffnet',
      happened: `Ein Betreiber dieses Dienstes hat Ihr Konto geöffnet, ${mode === 'read' ? 'um es anzusehen, ohne etwas zu ändern' : 'um darin für Sie zu handeln'}, bis ${timeOf(until)}. Angegebener Grund: ${reason}`,
      otherwise:
        'Sie können das jederzeit beenden: Melden Sie sich an und beenden Sie die Support-Sitzung im Profil unter „Geräte“. Unter „Aktivität“ steht, wer es war und was geschehen ist.',
    }),
    passkey_added: (_, { forgotPassword }) => ({
      subject: 'Ihr Konto hat einen neuen Passkey',
      happened:
        'Ihrem Konto wurde ein Passkey hinzugefügt. Er genügt zur Anmeldung, ohne Passwort und ohne Code.',
      otherwise: secure(forgotPassword, REMOVE_PASSKEY),
    }),
    passkey_removed: (_, { forgotPassword }) => ({
      subject: 'Ein Passkey wurde von Ihrem Konto entfernt',
      happened: 'Ein Passkey wurde von Ihrem Konto entfernt. Mit ihm kann sich niemand mehr anmelden.',
      otherwise: secure(forgotPassword),
    }),
    key_created: (_, { forgotPassword, keys }) => ({
      subject: 'Ihr Konto hat einen neuen Schlüssel',
      happened:
        'Für Ihr Konto wurde ein Schlüssel für Maschinen angelegt. Wer ihn hat, kann Ihr Konto ohne Anmeldung benutzen.',
      otherwise: secure(forgotPassword),
      then: {
        text: 'Ein neues Passwort beendet den Schlüssel nicht. Löschen Sie ihn danach im Profil unter „Entwickler“:',
        url: keys,
      },
    }),
    deletion_requested: ({ deletes_at }, { login }) => ({
      subject: 'Ihr Konto wird gelöscht',
      happened: `Ihr Konto und alles, was nur ihm gehört, wird am ${timeOf(deletes_at)} gelöscht.`,
      otherwise: {
        text: 'Um das Konto zu behalten, melden Sie sich vorher an:',
        url: login,
        after: 'Wenn Sie die Löschung nicht veranlasst haben, wählen Sie auch ein neues Passwort.',
      },
    }),
    deletion_cancelled: (_, { forgotPassword }) => ({
      subject: 'Ihr Konto wird nicht gelöscht',
      happened: 'Die Löschung Ihres Kontos wurde abgebrochen. Das Konto bleibt, wie es war.',
      otherwise: secure(forgotPassword),
    }),
    deletion_kept: ({ places }, { login }) => ({
      subject: 'Ihr Konto wurde nicht gelöscht',
      happened: `Ihr Konto sollte gelöscht werden, aber niemand sonst kann diese Bereiche leiten: ${places.join(', ')}. Es wird gelöscht, sobald sie jemand anderem gehören oder archiviert sind.`,
      otherwise: {
        text: 'Um sie zu übergeben oder zu archivieren oder das Konto zu behalten, melden Sie sich an:',
        url: login,
        after: 'Eine Anmeldung bricht die Löschung ab; verlangen Sie sie danach noch einmal.',
      },
    }),
    changed_by_operator: ({ change }, { forgotPassword }) => ({
      ...{
        disabled: {
          subject: 'Ihr Konto wurde gesperrt',
          happened: 'Der Betreiber dieses Dienstes hat Ihr Konto gesperrt. Niemand kann sich mehr anmelden.',
        },
        enabled: {
          subject: 'Ihr Konto wurde freigegeben',
          happened:
            'Der Betreiber dieses Dienstes hat Ihr Konto freigegeben. Sie können sich wieder anmelden.',
        },
        verified: {
          subject: 'Ihre E-Mail-Adresse wurde bestätigt',
          happened: 'Der Betreiber dieses Dienstes hat die E-Mail-Adresse Ihres Kontos bestätigt.',
        },
        sessions_ended: {
          subject: 'Sie wurden auf allen Geräten abgemeldet',
          happened:
            'Der Betreiber dieses Dienstes hat alle Sitzungen Ihres Kontos beendet. Bitte melden Sie sich neu an.',
        },
        plan: {
          subject: 'Der Tarif Ihres Kontos wurde geändert',
          happened: 'Der Betreiber dieses Dienstes hat den Tarif Ihres Kontos geändert.',
        },
      }[change],
      otherwise: secure(forgotPassword),
    }),
    data_downloaded: (_, { forgotPassword }) => ({
      subject: 'Die Daten Ihres Kontos wurden heruntergeladen',
      happened:
        'Jemand, der in Ihrem Konto angemeldet ist, hat alles heruntergeladen, was es enthält: Profil, Geräte, Organisationen und Aktivität.',
      otherwise: secure(forgotPassword),
    }),
    new_sign_in: (_, { forgotPassword }) => ({
      subject: 'Eine neue Anmeldung an Ihrem Konto',
      happened:
        'Jemand hat sich an Ihrem Konto angemeldet, von einem Gerät und Netz, die es in den letzten 90 Tagen nicht benutzt hat.',
      otherwise: secure(forgotPassword),
    }),
  },

  circumstances: {
    time: 'Zeit',
    timeOf,
    device: 'Gerät',
    deviceOf: (browser, os) => `${browser} unter ${os}`,
    address: 'Netzadresse',
    unknown: 'unbekannt',
  },
};
