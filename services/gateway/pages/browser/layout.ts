import type { ComponentChildren } from 'preact';
import { config } from './config.ts';
import { html } from './html.ts';

/** The frame of the pages for somebody who is not signed in: the brand above a card. */
export function Layout({ children }: { children?: ComponentChildren }) {
  return html`
    <div class="signed-out">
      <header><${Brand} /></header>
      <main class="card">${children}</main>
    </div>
  `;
}

export function Brand() {
  const { BRAND_NAME, BRAND_LOGO_URL } = config;
  return html`
    <a class="brand" href="/" data-page>
      ${BRAND_LOGO_URL ? html`<img src=${BRAND_LOGO_URL} alt="" height="32" />` : html`<span class="mark" aria-hidden="true"></span>`}
      <span>${BRAND_NAME}</span>
    </a>
  `;
}
