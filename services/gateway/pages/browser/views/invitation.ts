import { arrival } from '../arrival.ts';
import { html } from '../html.ts';
import { rememberEmail } from '../remembered-email.ts';
import { texts } from '../texts.ts';

/** Where the mail of an invitation leads. Verifying the invited address makes its owner a member. */
export default function Invitation() {
  const { email } = arrival;
  if (email) rememberEmail(email);
  return html`
    <h1>${texts.titles.invitation}</h1>
    <p>${texts.invitation.explanation}</p>
    ${email && html`<p>${texts.invitation.address} <strong>${email}</strong></p>`}
    <a class="button primary" href="/signup" data-page>${texts.titles['sign-up']}</a>
    <a class="button secondary" href="/" data-page>${texts.titles['sign-in']}</a>
    <p class="below">${texts.invitation.unexpected}</p>
  `;
}
