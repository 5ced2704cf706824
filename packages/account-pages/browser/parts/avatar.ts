import { html } from '../html.ts';
import { initialsOf } from '../initials.ts';
import type { Profile } from '../profile.ts';

/** Somebody's picture, or their initials in a circle; an empty circle until the profile is known. */
export const Avatar = ({ profile, size = 36 }: { profile?: Profile | undefined; size?: 36 | 72 }) => html`
  <span class=${size === 72 ? 'avatar large' : 'avatar'} aria-hidden="true">
    ${
      profile?.picture
        ? html`<img src=${profile.picture} alt="" width=${size} height=${size} />`
        : profile && initialsOf(profile.name, profile.email)
    }
  </span>
`;
