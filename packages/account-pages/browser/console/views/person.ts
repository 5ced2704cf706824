import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { Section } from '../../parts/section.ts';
import { useData } from '../../parts/use-data.ts';
import { diagnoseLogin, getPerson, type LoginFinding, listPersonAudit, type PersonDetail } from '../calls.ts';
import { State } from '../parts/state.ts';
import { texts } from '../texts.ts';
import type { ViewProps } from '../view-props.ts';
import { EventList } from './event-list.ts';
import { type Change, PersonDialog } from './person-dialog.ts';
import { PersonFacts, Sessions } from './person-facts.ts';

const words = texts.people;

/** One person on one page: can they log in, who they are, and what an operator may do for them. */
export default function PersonView({ id, operator, result }: ViewProps & { id: string }) {
  const loaded = useData(`person ${id}`, () => getPerson(id));
  const diagnosis = useData(`diagnosis ${id}`, () => diagnoseLogin(id));
  const [change, setChange] = useState<Change>();
  const person = loaded.data;
  const back = { path: '/admin/people', title: words.back };
  if (!person)
    return html`<${PageTitle} back=${back}>${texts.titles.people}<//><${LoadFailure} loaded=${loaded} gone=${words.gone} />`;
  const reload = async () => {
    await Promise.all([loaded.reload(), diagnosis.reload()]);
  };
  return html`
    <${PageTitle} back=${back} badge=${html`<${State} state=${person.state} />`}>${person.name || person.email}<//>
    <${Section} title=${words.why}>
      ${diagnosis.data ? html`<${Findings} findings=${diagnosis.data.data} />` : html`<${LoadFailure} loaded=${diagnosis} gone=${words.gone} />`}
      <div class="actions">
        ${changesOf(person, operator.level === 'admin').map(
          ([kind, text]) => html`<${Button} key=${kind} onClick=${() => setChange(kind)}>${text}<//>`,
        )}
      </div>
    <//>
    <${PersonFacts} person=${person} />
    <${Sessions} loaded=${loaded} />
    <${EventList} key=${loaded.busy} load=${(query: string) => listPersonAudit(id, query)} />
    ${
      change &&
      html`
        <${PersonDialog}
          change=${change}
          person=${person}
          mayAct=${operator.level === 'admin'}
          reload=${reload}
          onClose=${() => setChange(undefined)}
          onDone=${result.succeed}
        />
      `
    }
  `;
}

const Findings = ({ findings }: { findings: LoginFinding[] }) =>
  findings.length === 0
    ? html`<p>${words.canLogIn}</p>`
    : html`
        <ul class="findings">
          ${findings.map(
            ({ severity, text, advice }, index) => html`
              <li key=${index} class=${severity}><span>${text}</span>${advice && html`<small>${advice}</small>`}</li>
            `,
          )}
        </ul>
      `;

/** What an operator of a level can do to an account in its state. */
function changesOf(person: PersonDetail, isAdmin: boolean): (readonly [Change, string])[] {
  const { state, user_id, factor, deletion, sessions } = person;
  const changes: Record<Change, boolean> = {
    support: user_id !== null && state === 'active' && person.operator === null,
    'end-sessions': sessions.length > 0,
    'reset-factor': factor !== null && factor.reset_at === null,
    enable: isAdmin && state === 'disabled',
    verify: isAdmin && state === 'unverified',
    restore: isAdmin && deletion !== null && !deletion.begun,
    plan: isAdmin && user_id !== null,
    disable: isAdmin && state !== 'disabled',
    delete: isAdmin && deletion === null && user_id !== null,
  };
  const titles: Partial<Record<Change, string>> = { support: words.support, plan: words.plans };
  return (Object.keys(changes) as Change[])
    .filter((change) => changes[change])
    .map((change) => [change, titles[change] ?? words.acts[change]?.[0] ?? change]);
}
