import { html } from '../html.ts';
import { formatAgo, formatDateTime } from '../texts.ts';

/** A moment, or how long ago it was; then the moment itself is its tooltip. */
export const Time = ({ at, ago = false }: { at: string; ago?: boolean }) =>
  html`<time datetime=${at} title=${ago ? formatDateTime(at) : undefined}>${ago ? formatAgo(at) : formatDateTime(at)}</time>`;
