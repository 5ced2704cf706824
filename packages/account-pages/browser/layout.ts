import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { refresh, signOut } from './account.ts';
import { config } from './config.ts';
import { html } from './html.ts';
import { Avatar } from './parts/avatar.ts';
import { Button } from './parts/button.ts';
import { Lazy } from './parts/lazy.ts';
import { currentSession } from './session.ts';
import { formatTime, texts } from './texts.ts';

interface Props {
  path?: string;
  children?: ComponentChildren;
}

/** The frame of the pages for somebody who is not signed in: the brand above a card. */
export const SignedOut = ({ children }: Props) => html`
  <div class="signed-out">
    <header><${Brand} /></header>
    <main class="card">${children}</main>
  </div>
`;

const PAGES = [
  ['/profile', texts.navigation.profile],
  ['/chatbots', texts.navigation.chatbots],
  ['/organization', texts.navigation.organization],
  ['/webhooks', texts.navigation.webhooks],
] as const;

/** The frame of an account's pages: navigation above the content. */
export const SignedIn = ({ path, children }: Props) => html`
  <div class="signed-in">
    <header class="bar">
      <${Brand} />
      <nav aria-label=${texts.navigation.label}>
        ${PAGES.map(
          ([page, title]) =>
            html`<a href=${page} data-page aria-current=${path === page ? 'page' : undefined}>${title}</a>`,
        )}
      </nav>
      <${Lazy} load=${() => import('./parts/user-menu.ts')} placeholder=${html`<${Avatar} />`} path=${path} />
    </header>
    <${Expiry} />
    <main class="content">${children}</main>
  </div>
`;

/** The logo and the name of the brand, which lead to the first page. */
export const Brand = ({ href = '/' }: { href?: string }) => {
  const { BRAND_NAME, logo } = config;
  return html`
    <a class="brand" href=${href} data-page>
      <img src=${logo} alt="" height="28" />
      <span>${BRAND_NAME}</span>
    </a>
  `;
};

/** Minutes before its end at which a session can be extended. */
const WARNING = 5;

/** Says when the session is about to end, and offers to extend it. */
export function Expiry() {
  const remaining = () => Math.ceil(((currentSession()?.expiresAt ?? 0) - Date.now()) / 60_000);
  const [minutes, setMinutes] = useState(remaining);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    const timer = setInterval(() => setMinutes(remaining()), 5_000);
    return () => clearInterval(timer);
  }, []);
  // The banner says when a support session ends, and nobody extends it.
  if (minutes > WARNING || minutes <= 0 || currentSession()?.support) return null;
  const extend = async () => {
    setBusy(true);
    await refresh().then(
      () => setFailure(''),
      (error: Error) => setFailure(error.message),
    );
    setBusy(false);
    setMinutes(remaining());
  };
  return html`
    <div class="expiry" role="status">
      <p>${failure || texts.session.expiresIn(minutes)}</p>
      <${Button} kind="link" busy=${busy} onClick=${extend}>${texts.session.extend}<//>
    </div>
  `;
}

/** Says on every page that this is somebody else's session, and offers to leave it. */
export function SupportBanner() {
  const { supportFor, support, expiresAt } = currentSession() ?? {};
  if (!supportFor) return null;
  return html`
    <aside class="support" aria-label=${texts.support.label}>
      <p>${texts.support.label}: <strong>${supportFor}</strong></p>
      ${support && html`<p>${texts.support[support.mode]} · ${texts.support.by(support.operator)} · ${texts.support.until(formatTime(expiresAt ?? 0))}</p>`}
      <${Button} kind="link" onClick=${signOut}>${support ? texts.support.end : texts.support.leave}<//>
    </aside>
  `;
}
