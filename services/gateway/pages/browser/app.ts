import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { html } from './html.ts';
import { SignedIn, SignedOut } from './layout.ts';
import { Notice } from './parts/notice.ts';
import { NEEDS_SESSION, type ViewName, viewOf } from './paths.ts';
import { usePath } from './router.ts';
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
  profile: () => import('./views/profile.ts'),
  chatbots: () => import('./views/chatbots.ts'),
  organization: () => import('./views/organization.ts'),
  webhooks: () => import('./views/webhooks.ts'),
};

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
  const named = viewOf(path);
  const name = NEEDS_SESSION.has(named) && !currentSession() ? 'sign-in' : named;
  const { View, failed } = useView(name);
  const Layout = NEEDS_SESSION.has(name) ? SignedIn : SignedOut;

  useEffect(() => {
    document.title = `${texts.titles[name]} · ${document.title.split(' · ').at(-1)}`;
  }, [name]);
  if (failed) return html`<${Layout}><${Notice} kind="error">${texts.errors.unreachable}<//><//>`;
  return html`
    <${Layout} path=${path}>
      ${end && name === 'sign-in' && html`<${Notice} kind="info">${texts.session.ended[end]}<//>`}
      ${View ? html`<${View} key=${path} />` : html`<div class="skeleton"></div>`}
    <//>
  `;
}

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
