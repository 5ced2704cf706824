import { html } from '../html.ts';
import { initialsOf } from '../initials.ts';

/** Somebody's initials in a circle; an empty circle until they are known. */
export const Avatar = ({ name = '', email = '' }: { name?: string; email?: string }) => html`
  <span class="avatar" aria-hidden="true">${initialsOf(name, email)}</span>
`;
