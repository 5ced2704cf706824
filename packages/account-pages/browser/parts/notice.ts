import type { ComponentChildren } from 'preact';
import { html } from '../html.ts';

/** A message in a box. Screen readers announce it when it appears, an error at once. */
export const Notice = ({
  kind,
  requestId,
  children,
}: {
  kind: 'info' | 'success' | 'error';
  requestId?: string;
  children?: ComponentChildren;
}) => html`
  <div class="notice ${kind}" role=${kind === 'error' ? 'alert' : 'status'}>
    <p>${children}</p>
    ${requestId && html`<p class="request-id">${requestId}</p>`}
  </div>
`;
