import { html } from '../html.ts';
import { initialsOf } from '../initials.ts';
import type { Person } from '../profile.ts';

/** Somebody's picture, or their initials in a circle; an empty circle until they are known. */
export const Avatar = ({ person, size = 36 }: { person?: Person | undefined; size?: 36 | 72 }) => html`
  <span class=${size === 72 ? 'avatar large' : 'avatar'} aria-hidden="true">
    ${
      person?.picture
        ? html`<img src=${person.picture} alt="" width=${size} height=${size} />`
        : person && initialsOf(person.name, person.email)
    }
  </span>
`;
