import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Field } from '../../parts/field.ts';
import { Select } from '../../parts/select.ts';
import { changeAndReload } from '../../parts/use-data.ts';
import { PLANS } from '../../views/organization/calls.ts';
import {
  beginSupportSession,
  changePerson,
  type PersonAct,
  type PersonDetail,
  setPersonPlan,
} from '../calls.ts';
import { ChangeDialog } from '../parts/change-dialog.ts';
import { texts } from '../texts.ts';

const words = texts.people;
const DESTRUCTIVE = ['disable', 'delete', 'reset-factor'];

/** What an operator does to an account. */
export type Change = PersonAct | 'plan' | 'support';

interface Props {
  change: Change;
  person: PersonDetail;
  /** Whether the operator may also act in a support session. */
  mayAct: boolean;
  reload: () => Promise<void>;
  onClose: () => void;
  onDone: (text: string) => void;
}

/** Asks for what a change needs. A support session is opened by a link, which stays on the page until it is closed. */
export function PersonDialog({ change, person, mayAct, reload, onClose, onDone }: Props) {
  const [link, setLink] = useState<string>();
  if (link)
    return html`
      <${Dialog} title=${words.sessionReady} onClose=${onClose}>
        <p>${words.sessionHint}</p>
        <a class="button primary" href=${link} target="_blank" rel="noopener">${words.openSession}</a>
      <//>
    `;
  const [title, explanation] = titleOf(change);
  const submit = async (fields: Record<string, string>) => {
    const answer = await changeAndReload(reload, () => send(change, person.person_id, fields));
    const opens = change === 'support' && typeof answer.link === 'string';
    if (opens) setLink(answer.link as string);
    // A record of an approval, in place of what was asked for.
    else onDone('approval_id' in answer ? texts.waits : texts.done);
    return !opens;
  };
  return html`
    <${ChangeDialog}
      title=${title}
      action=${title}
      explanation=${explanation}
      isDestructive=${DESTRUCTIVE.includes(change)}
      onClose=${onClose}
      onSubmit=${submit}
    >
      ${
        change === 'plan' &&
        html`<${Select} name="plan" label=${words.plan} value=${person.plan ?? 'Free'} options=${PLANS.map((plan) => [plan, plan])} />`
      }
      ${change === 'support' && html`<${SupportFields} mayAct=${mayAct} />`}
    <//>
  `;
}

const SupportFields = ({ mayAct }: { mayAct: boolean }) => html`
  <${Select} name="mode" label=${words.mode} options=${Object.entries(words.modes).filter(([mode]) => mayAct || mode === 'read')} />
  <${Field} name="minutes" label=${words.minutes} type="number" min="5" max="60" value="30" />
`;

function titleOf(change: Change): [title: string, explanation?: string] {
  if (change === 'plan') return [words.plans];
  if (change === 'support') return [words.support, words.supportHint];
  return words.acts[change] ?? [change];
}

async function send(change: Change, id: string, fields: Record<string, string>): Promise<{ link?: string }> {
  const { reason = '', plan = '', mode = '', minutes } = fields;
  if (change === 'support') return beginSupportSession(id, { mode, minutes: Number(minutes), reason });
  return (
    change === 'plan' ? setPersonPlan(id, plan, reason) : changePerson(id, change, reason)
  ) as Promise<object>;
}
