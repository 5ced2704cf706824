import type { ComponentChildren } from 'preact';
import { html } from '../../html.ts';
import { lastWay } from '../../last-way.ts';
import { Mark } from '../../parts/mark.ts';
import { texts } from '../../visitor-texts.ts';

/** The content of a button or link for a way to sign in. The badge lies on the edge, so it shifts no layout. */
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
