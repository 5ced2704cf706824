import type { ComponentChildren } from 'preact';
import { html } from '../html.ts';
import { beginWay } from '../last-way.ts';
import { rememberPage } from '../return-page.ts';

/** Leads to a provider, and from there back to this page with a new session. */
export const ProviderLink = ({ name, children }: { name: string; children?: ComponentChildren }) => html`
  <a
    class="button secondary"
    href=${`/social/${encodeURIComponent(name)}/login`}
    onClick=${() => {
      beginWay(name);
      rememberPage();
    }}
  >
    ${children}
  </a>
`;
