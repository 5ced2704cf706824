/**
 * What somebody brought along in the address. This module is the first that runs, and imports nothing: it takes the
 * secrets out of the address before anything else is loaded or called.
 */
const query = new URLSearchParams(location.search);
const fragment = new URLSearchParams(location.hash.slice(1));

interface Arrival {
  /** A session that the support team hands over (spec §Authentication 9); empty texts where the link lacks one. */
  support?: { token: string; user_id: string };
  /** The one-time code of a finished single sign-on. */
  ssoCode?: string;
  /** The link of a mail that signs in. */
  loginCode?: { email: string; code: string; token: string };
  /** The provider that has just been linked. */
  linked?: string;
  /** What undoes a change of the account's address. */
  undo?: string;
  /** The address that an invitation was mailed to, if it has no account; empty for any other text. */
  email?: string;
  /** The invitation that a mail is about, or an empty text. */
  invitation?: string;
}

function read(): Arrival {
  if (query.get('adminRedirect') === 'true') {
    return { support: { token: query.get('token') ?? '', user_id: query.get('user_id') ?? '' } };
  }
  if (location.pathname === '/sso') return { ssoCode: fragment.get('code') ?? '' };
  const email = fragment.get('email') ?? '';
  if (location.pathname === '/code-login')
    return email
      ? { loginCode: { email, code: fragment.get('code') ?? '', token: fragment.get('token') ?? '' } }
      : {};
  if (location.pathname === '/profile' && fragment.has('linked')) {
    query.set('part', 'security');
    return { linked: fragment.get('linked') ?? '' };
  }
  if (location.pathname === '/undo-email') return { undo: fragment.get('token') ?? '' };
  const isAddress = email.length <= 254 && /^[^\s@<>"',;:()[\]\\]+@[\w-]+(\.[\w-]+)+$/u.test(email);
  return { email: isAddress ? email : '', invitation: fragment.get('invitation_id') ?? '' };
}

export const arrival: Arrival = read();

/** Whether a support link was opened whose session has not been adopted. */
export const isSupportLink = (): boolean => arrival.support !== undefined;

for (const name of ['adminRedirect', 'token', 'user_id', 'session_id', 'email']) query.delete(name);
const kept = query.size > 0 ? `?${query}` : '';
history.replaceState(history.state, '', location.pathname + kept);
