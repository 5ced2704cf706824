import { useEffect } from 'preact/hooks';
import { arrival } from '../arrival.ts';
import { html } from '../html.ts';
import { rememberInvited } from '../invited.ts';
import { rememberEmail } from '../remembered-email.ts';
import { navigate } from '../router.ts';
import { currentSession } from '../session.ts';
import { texts } from '../visitor-texts.ts';

/**
 * Where the mail of an invitation leads. Somebody who is signed in, or signs in here, finds it among their invitations;
 * verifying the invited address accepts it. The mail names the address if it has no account.
 */
export default function Invitation() {
  const { email, invitation = '' } = arrival;
  if (email) {
    rememberEmail(email);
    rememberInvited(email);
  }
  const invitations = `/organization?${new URLSearchParams({ invitation })}`;
  const isSignedIn = currentSession() !== undefined;
  useEffect(() => {
    if (isSignedIn) navigate(invitations, { replace: true });
  }, [isSignedIn]);
  if (isSignedIn) return null;
  const signUp = (kind: string) =>
    html`<a class="button ${kind}" href="/signup" data-page>${texts.titles['sign-up']}</a>`;
  const signIn = (kind: string) =>
    html`<a class="button ${kind}" href=${invitations} data-page>${texts.titles['sign-in']}</a>`;
  return html`
    <h1>${texts.titles.invitation}</h1>
    <p>${email ? texts.invitation.explanation : texts.invitation.known}</p>
    ${email && html`<p>${texts.invitation.address} <strong>${email}</strong></p>`}
    ${email ? [signUp('primary'), signIn('secondary')] : [signIn('primary'), signUp('secondary')]}
    <p class="below">${texts.invitation.unexpected}</p>
  `;
}
