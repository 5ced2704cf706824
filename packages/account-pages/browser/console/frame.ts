import type { ComponentChildren } from 'preact';
import { html } from '../html.ts';
import { Brand, Expiry } from '../layout.ts';
import { Badge } from '../parts/badge.ts';
import { Button } from '../parts/button.ts';
import { endSession } from '../session.ts';
import type { Operator } from './calls.ts';
import { CONSOLE_PATHS, consoleViewOf } from './paths.ts';
import { texts } from './texts.ts';

/** The frame of every page of the console: who is signed in, and navigation beside the content. */
export const Frame = ({
  path,
  operator,
  children,
}: {
  path: string;
  operator?: Operator;
  children?: ComponentChildren;
}) => html`
  <div class="console">
    <header class="console-bar">
      <${Brand} href="/admin" />
      <span class="console-name">${texts.title}</span>
      ${operator && html`<span class="console-operator">${operator.user_id} <${Badge}>${texts.levels[operator.level]}<//></span>`}
      <${Button} kind="plain" onClick=${() => endSession('signed out')}>${texts.signOut}<//>
    </header>
    <${Expiry} />
    ${
      operator &&
      html`
        <nav class="console-nav" aria-label=${texts.navigation}>
          ${CONSOLE_PATHS.map(
            (page) => html`
              <a href=${page} data-page aria-current=${path === page ? 'page' : undefined}>${texts.titles[consoleViewOf(page)]}</a>
            `,
          )}
        </nav>
      `
    }
    <main class="content">${children}</main>
  </div>
`;
