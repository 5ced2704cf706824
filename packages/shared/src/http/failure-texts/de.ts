import type { FailureTexts } from './texts.ts';

export const de: FailureTexts = {
  kinds: {
    login: {
      title: 'Anmeldung fehlgeschlagen',
      heading: 'Sie sind nicht angemeldet',
      way: 'Zur Anmeldung',
    },
    link: { title: 'Nicht verknüpft', heading: 'Es wurde nichts verknüpft', way: 'Zu Ihrem Konto' },
    logout: {
      title: 'Abmeldung fehlgeschlagen',
      heading: 'Sie sind vielleicht noch angemeldet',
      way: 'Zu Ihrem Konto',
    },
    address: { title: 'Nicht gefunden', heading: 'Diese Seite gibt es nicht', way: 'Zur Startseite' },
  },
  forAdministrator: 'Für Ihre Administration: Anfrage',
  loggedOut: {
    title: 'Abgemeldet',
    heading: 'Sie sind abgemeldet',
    text: 'Ihr Identitätsanbieter hat Ihre Sitzung hier beendet.',
    way: 'Zur Anmeldung',
  },
  address: 'Prüfen Sie die Adresse, oder beginnen Sie auf der Startseite.',
  messages: {
    'Too many requests': 'Zu viele Anfragen. Bitte versuchen Sie es in einer Minute erneut.',
    'Service unavailable':
      'Der Dienst ist nicht erreichbar. Bitte versuchen Sie es in einigen Minuten erneut.',
    'Internal server error':
      'Auf unserer Seite ist etwas gestört. Bitte versuchen Sie es gleich noch einmal.',
    'There is no such single sign-on. Check the address or ask your administrator.':
      'Dieses Single Sign-on gibt es nicht. Prüfen Sie die Adresse, oder fragen Sie Ihre Administration.',
    'This single sign-on is switched off. Ask your administrator.':
      'Dieses Single Sign-on ist abgeschaltet. Fragen Sie Ihre Administration.',
    'The plan of your organization does not include single sign-on. Ask your administrator.':
      'Der Tarif Ihrer Organisation enthält kein Single Sign-on. Fragen Sie Ihre Administration.',
    'This login was not begun in this browser, or it took too long. Please begin again.':
      'Diese Anmeldung hat nicht in diesem Browser begonnen oder zu lange gedauert. Bitte beginnen Sie erneut.',
    'This login began at your identity provider, which is not allowed here. Begin on the sign-in page, or ask your administrator.':
      'Diese Anmeldung begann bei Ihrem Identitätsanbieter, was hier nicht erlaubt ist. Beginnen Sie auf der Anmeldeseite, oder fragen Sie Ihre Administration.',
    'Your identity provider sent an answer that could not be read. Please begin again.':
      'Die Antwort Ihres Identitätsanbieters war nicht lesbar. Bitte beginnen Sie erneut.',
    'The answer of your identity provider was not accepted. Please begin again; if it happens again, tell your administrator.':
      'Die Antwort Ihres Identitätsanbieters wurde nicht angenommen. Bitte beginnen Sie erneut; wenn es wieder geschieht, sagen Sie es Ihrer Administration.',
    'The logout that your identity provider asked for was not accepted. Log out here as well, and tell your administrator.':
      'Die Abmeldung, die Ihr Identitätsanbieter verlangt hat, wurde nicht angenommen. Melden Sie sich auch hier ab, und sagen Sie es Ihrer Administration.',
    'This answer of your identity provider has been used already. Please begin again.':
      'Diese Antwort Ihres Identitätsanbieters wurde schon verwendet. Bitte beginnen Sie erneut.',
    'Your identity provider refused the login. Ask your administrator.':
      'Ihr Identitätsanbieter hat die Anmeldung abgelehnt. Fragen Sie Ihre Administration.',
    'Your identity provider could not be reached. Please try again in a few minutes.':
      'Ihr Identitätsanbieter ist nicht erreichbar. Bitte versuchen Sie es in einigen Minuten erneut.',
    'Your identity provider sent no e-mail address. Ask your administrator.':
      'Ihr Identitätsanbieter hat keine E-Mail-Adresse gesendet. Fragen Sie Ihre Administration.',
    'Your organization has not verified the domain of your e-mail address. Ask your administrator.':
      'Ihre Organisation hat die Domain Ihrer E-Mail-Adresse nicht bestätigt. Fragen Sie Ihre Administration.',
    'Your identity provider sent a role that it may not give. Ask your administrator.':
      'Ihr Identitätsanbieter hat eine Rolle gesendet, die er nicht vergeben darf. Fragen Sie Ihre Administration.',
    'Your account is disabled. Ask your administrator.':
      'Ihr Konto ist gesperrt. Fragen Sie Ihre Administration.',
    'Your account belongs to another identity at your provider. Ask your administrator.':
      'Ihr Konto gehört zu einer anderen Identität bei Ihrem Anbieter. Fragen Sie Ihre Administration.',
    'Your organization requires single sign-on. Please log in through your identity provider.':
      'Ihre Organisation verlangt Single Sign-on. Bitte melden Sie sich über Ihren Identitätsanbieter an.',
    'There is no such way to sign in. Begin on the sign-in page.':
      'Diesen Anmeldeweg gibt es nicht. Beginnen Sie auf der Anmeldeseite.',
    'The provider sent an answer that could not be read. Please begin again.':
      'Die Antwort des Anbieters war nicht lesbar. Bitte beginnen Sie erneut.',
    'The answer of the provider was not accepted. Please begin again, or sign in another way.':
      'Die Antwort des Anbieters wurde nicht angenommen. Bitte beginnen Sie erneut, oder melden Sie sich auf einem anderen Weg an.',
    'The provider did not sign you in, or you cancelled. Please begin again, or sign in another way.':
      'Der Anbieter hat Sie nicht angemeldet, oder Sie haben abgebrochen. Bitte beginnen Sie erneut, oder melden Sie sich auf einem anderen Weg an.',
    'The provider could not be reached. Please try again in a few minutes, or sign in another way.':
      'Der Anbieter ist nicht erreichbar. Bitte versuchen Sie es in einigen Minuten erneut, oder melden Sie sich auf einem anderen Weg an.',
    'The provider sent no e-mail address. Sign in another way or sign up first, and then link this account in your profile.':
      'Der Anbieter hat keine E-Mail-Adresse gesendet. Melden Sie sich auf einem anderen Weg an oder registrieren Sie sich zuerst, und verknüpfen Sie dieses Konto dann in Ihrem Profil.',
    'The provider does not vouch for your e-mail address. Sign in another way or sign up first, and then link this account in your profile.':
      'Der Anbieter bürgt nicht für Ihre E-Mail-Adresse. Melden Sie sich auf einem anderen Weg an oder registrieren Sie sich zuerst, und verknüpfen Sie dieses Konto dann in Ihrem Profil.',
    'This account is disabled. Contact the operator of this service.':
      'Dieses Konto ist gesperrt. Wenden Sie sich an den Betreiber dieses Dienstes.',
    'The account with your e-mail address is linked to another account of this provider. Sign in with that one, or sign in another way and link this one in your profile.':
      'Das Konto mit Ihrer E-Mail-Adresse ist mit einem anderen Konto dieses Anbieters verknüpft. Melden Sie sich mit jenem an, oder melden Sie sich auf einem anderen Weg an und verknüpfen Sie dieses in Ihrem Profil.',
    'This account of the provider is linked to another account here.':
      'Dieses Konto des Anbieters ist hier mit einem anderen Konto verknüpft.',
    'Your account has as many links as it can have. Remove one first.':
      'Ihr Konto hat so viele Verknüpfungen, wie es haben kann. Entfernen Sie zuerst eine.',
  },
  unknown: 'Das hat nicht funktioniert. Bitte beginnen Sie erneut, oder fragen Sie Ihre Administration.',
};
