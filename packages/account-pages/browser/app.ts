import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isSupportLink } from './arrival.ts';
import { config } from './config.ts';
import { confirmBy } from './gate.ts';
import { html } from './html.ts';
import { SignedIn, SignedOut, SupportBanner } from './layout.ts';
import { Button } from './parts/button.ts';
import { Notice } from './parts/notice.ts';
import { SessionNotice } from './parts/session-notice.ts';
import { NEEDS_SESSION, type ViewName, viewOf } from './paths.ts';
import { navigate, usePath } from './router.ts';
import { currentSession, type End, onSessionChange } from './session.ts';
import { texts } from './texts.ts';

type View = ComponentType;

/** Loads the module of a view when it is shown for the first time. */
const LOAD: Record<ViewName, () => Promise<{ default: View }>> = {
  'sign-in': () => import('./views/sign-in.ts'),
  'sign-up': () => import('./views/sign-up.ts'),
  code: () => import('./views/code.ts'),
  forgot: () => import('./views/forgot.ts'),
  reset: () => import('./views/reset.ts'),
  sso: () => import('./views/sso.ts'),
  'code-login': () => import('./views/code-login.ts'),
  invitation: () => import('./views/invitation.ts'),
  'undo-email': () => import('./views/undo-email.ts'),
  support: () => import('./views/support.ts'),
  profile: () => import('./views/profile.ts'),
  chatbots: () => import('./views/chatbots.ts'),
  organization: () => import('./views/organization.ts'),
  webhooks: () => import('./views/webhooks.ts'),
};

confirmBy(async (methods) => {
  const { confirmIdentity } = await import('./confirm-identity.ts');
  await confirmIdentity(methods);
});

/** The page that the address names. Pages of an account show the sign-in form to everybody else. */
export function App() {
  const path = usePath();
  const [end, setEnd] = useState<End>();
  const [, renderAgain] = useState({});
  useEffect(
    () =>
      onSessionChange((reason) => {
        setEnd(reason);
        renderAgain({});
      }),
    [],
  );
  const name = viewFor(path);
  const isHome = name === 'sign-in' && currentSession() !== undefined;
  useEffect(() => {
    if (isHome) navigate('/profile', { replace: true });
  }, [isHome]);
  const { View, failed } = useView(name);
  const Layout = NEEDS_SESSION.has(name) ? SignedIn : SignedOut;
  useEffect(() => {
    document.title = `${texts.titles[name]} · ${config.BRAND_NAME}`;
  }, [name]);
  useFocus(View && `${name} ${path}`);
  return html`
    <${SupportBanner} />
    <${Layout} path=${path}>
      ${Layout === SignedOut && html`<${SessionNotice} end=${end} isSignIn=${name === 'sign-in'} />`}
      ${failed && html`<${NotLoaded} />`}
      ${View && !isHome ? html`<${View} key=${path} />` : html`<div class="skeleton" hidden=${failed}></div>`}
    <//>
  `;
}

function viewFor(path: string): ViewName {
  if (isSupportLink()) return 'support';
  const name = viewOf(path);
  return NEEDS_SESSION.has(name) && !currentSession() ? 'sign-in' : name;
}

/** A module that could not be loaded stays so until the document is loaded again. */
const NotLoaded = () => html`
  <${Notice} kind="error">${texts.errors.unreachable}<//>
  <${Button} onClick=${() => location.reload()}>${texts.table.retry}<//>
`;

function useView(name: ViewName): { View?: View; failed?: boolean } {
  const [loaded, setLoaded] = useState<{ name: ViewName; View?: View; failed?: boolean }>();
  useEffect(() => {
    let isCurrent = true;
    LOAD[name]().then(
      (module) => isCurrent && setLoaded({ name, View: module.default }),
      () => isCurrent && setLoaded({ name, failed: true }),
    );
    return () => {
      isCurrent = false;
    };
  }, [name]);
  return loaded?.name === name ? loaded : {};
}

/**
 * Moves the focus into a page when it is shown, as a browser does for a document: to its first field or its heading.
 * The focus moves before anybody can act on the page: a later move would take it from where they are.
 */
function useFocus(page: string | undefined): void {
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    if (page === undefined) return;
    const field = document.querySelector<HTMLElement>('main [autofocus]');
    const heading = document.querySelector<HTMLElement>('main h1');
    if (heading) heading.tabIndex = -1;
    if (field) field.focus();
    else if (!isFirst.current) heading?.focus();
    isFirst.current = false;
  }, [page]);
}
