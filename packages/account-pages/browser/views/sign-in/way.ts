import type { ComponentChildren } from 'preact';
import { html } from '../../html.ts';
import { lastWay } from '../../last-way.ts';
import { Mark } from '../../parts/mark.ts';
import { texts } from '../../visitor-texts.ts';

/** What a button or link of a way to sign in shows. The badge lies on its edge, so that it moves nothing. */
export const Way = ({ way, children }: { way: string; children?: ComponentChildren }) => html`
  <span class="way">
    <${Mark} way=${way} />
    <span>${children}</span>
    <${LastUsed} way=${way} />
  </span>
`;

/** Marks the way that was last used on this device. */
export const LastUsed = ({ way }: { way: string }) =>
  lastWay() === way && html`<small class="last-used">${texts.signIn.lastUsed}</small>`;
