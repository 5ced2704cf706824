import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { config } from '../config.ts';
import { confirmBy } from '../gate.ts';
import { html } from '../html.ts';
import { Lazy } from '../parts/lazy.ts';
import { LoadFailure } from '../parts/load-failure.ts';
import { ResultToast, useResult } from '../parts/result.ts';
import { useData } from '../parts/use-data.ts';
import { rememberPage } from '../return-page.ts';
import { usePath } from '../router.ts';
import { currentSession, onSessionChange } from '../session.ts';
import { operatorClaim } from './arrival.ts';
import { getOperator } from './calls.ts';
import { Frame } from './frame.ts';
import { type ConsoleView, consoleViewOf } from './paths.ts';
import { texts } from './texts.ts';
import type { ViewProps } from './view-props.ts';

/** Loads the module of a view when it is shown for the first time. */
const LOAD: Record<ConsoleView, () => Promise<{ default: ComponentType<ViewProps> }>> = {
  overview: () => import('./views/overview.ts'),
  people: () => import('./views/people.ts'),
  organizations: () => import('./views/organizations.ts'),
  audit: () => import('./views/audit.ts'),
  webhooks: () => import('./views/webhooks.ts'),
  jobs: () => import('./views/jobs.ts'),
  'settings-check': () => import('./views/settings-check.ts'),
  'support-sessions': () => import('./views/support-sessions.ts'),
  approvals: () => import('./views/approvals.ts'),
  operators: () => import('./views/operators.ts'),
};

confirmBy(async (methods) => {
  const { confirmIdentity } = await import('../confirm-identity.ts');
  await confirmIdentity(methods);
});

/** The page of the console that the address names. Everybody but an operator is told what it is. */
export function Console() {
  const path = usePath();
  const [, renderAgain] = useState({});
  useEffect(() => onSessionChange(() => renderAgain({})), []);
  const view = consoleViewOf(path);
  useEffect(() => {
    document.title = `${texts.titles[view]} · ${texts.title} · ${config.BRAND_NAME}`;
  }, [view]);
  if (!currentSession()) return html`<${SignIn} />`;
  return html`<${ForOperators} path=${path} view=${view} />`;
}

function ForOperators({ path, view }: { path: string; view: ConsoleView }) {
  const loaded = useData(`operator ${currentSession()?.userId}`, getOperator);
  const result = useResult();
  const operator = loaded.data;
  if (!operator) {
    const claim = loaded.error?.status === 403 ? operatorClaim() : null;
    return html`
      <${Frame} path=${path}>
        <h1>${texts.title}</h1>
        ${
          claim === null
            ? html`<${LoadFailure} loaded=${loaded} gone=${texts.notOperator} />`
            : html`<${Lazy} load=${() => import('./views/first-operator.ts')} claim=${claim} onDone=${loaded.reload} />`
        }
      <//>
    `;
  }
  return html`
    <${Frame} path=${path} operator=${operator}>
      <${Lazy} key=${path} load=${LOAD[view]} operator=${operator} result=${result} />
      <${ResultToast} result=${result} />
    <//>
  `;
}

const SignIn = () => html`
  <div class="signed-out">
    <main class="card">
      <h1>${texts.title}</h1>
      <p>${operatorClaim() === null ? texts.signInFirst : texts.signInToBecome}</p>
      <a class="button primary" href="/login" onClick=${rememberPage}>${texts.signIn}</a>
    </main>
  </div>
`;
