import { html } from '../html.ts';

/** An e-mail address that breaks at its signs, where it does not fit, rather than within a word. */
export const Address = ({ email }: { email: string }) =>
  html`<span class="address">${email.split(/(?=@)|(?<=[._+-])/).map((part, index) => html`${index > 0 && html`<wbr />`}${part}`)}</span>`;
