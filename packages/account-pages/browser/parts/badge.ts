import type { ComponentChildren } from 'preact';
import { html } from '../html.ts';

export type Tone = 'good' | 'bad' | 'quiet';

/** A state in one word. */
export const Badge = ({ tone = 'quiet', children }: { tone?: Tone; children?: ComponentChildren }) =>
  html`<span class="badge ${tone}">${children}</span>`;
