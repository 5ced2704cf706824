import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { formatDate, formatNumber, texts } from '../../organization-texts.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { Facts } from '../../parts/facts.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { personText } from '../../parts/person.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { useData } from '../../parts/use-data.ts';
import { navigate } from '../../router.ts';
import { getPerson, type PersonGrants, removePerson } from './calls.ts';
import type { OwnStanding } from './own-standing.ts';

const words = texts.people;

/** One person of an organization with all their grants. */
export default function PersonPage({
  organization_id,
  id,
  own,
  back,
  result,
  onLeave,
}: {
  organization_id: string;
  id: string;
  own: OwnStanding;
  back: { path: string; title: string };
  result: Result;
  onLeave: () => Promise<void>;
}) {
  const [isRemoving, setRemoving] = useState(false);
  const loaded = useData(`${organization_id} ${id}`, () => getPerson(organization_id, id));
  const person = loaded.data;
  if (!person) {
    return html`
      <${PageTitle} back=${back}>${texts.access.person}<//>
      <${LoadFailure} loaded=${loaded} gone=${words.gone} />
    `;
  }
  const isSelf = id === own.id;
  const remove = async () => {
    await removePerson(organization_id, id);
    result.succeed(isSelf ? texts.archive.left(back.title) : words.removed(personText(person)));
    if (isSelf) await onLeave();
    else navigate(back.path, { replace: true });
  };
  const action = isSelf ? texts.archive.leave : words.remove;
  return html`
    <${PageTitle} back=${back} actions=${html`<${Button} onClick=${() => setRemoving(true)}>${action}<//>`}>
      ${person.name ?? person.email ?? person.user_id}
    <//>
    <${Section} title=${words.roles}>
      <${Facts}
        facts=${[
          [texts.lists.userId, person.user_id],
          ...(person.email ? [[texts.fields.email, person.email]] : []),
          ...(person.owner ? [[words.ownerSince, formatDate(person.owner.granted_at)]] : []),
        ]}
      />
      <${Table}
        label=${words.departments}
        loaded=${{ ...loaded, data: { data: person.departments } }}
        columns=${departmentColumns(back.path)}
        keyOf=${({ department_id }: Department) => department_id}
        empty=${words.noDepartments}
      />
    <//>
    ${
      person.chatbot_roles_total > 0 &&
      html`
        <${Section} title=${words.chatbots}>
          <p class="muted">${words.chatbotsTotal(formatNumber(person.chatbot_roles_total))}</p>
          <${Table}
            label=${words.chatbots}
            loaded=${{ ...loaded, data: { data: person.chatbot_roles } }}
            columns=${CHATBOT_COLUMNS}
            keyOf=${({ chatbot_id }: ChatbotRole) => chatbot_id}
            empty=""
          />
        <//>
      `
    }
    ${
      isRemoving &&
      html`
        <${Confirm}
          title=${isSelf ? texts.archive.leaveQuestion(back.title) : words.removeTitle(personText(person))}
          action=${isSelf ? texts.actions.leaveOrganization : texts.actions.removePerson}
          onConfirm=${remove}
          onClose=${() => setRemoving(false)}
        >
          ${isSelf ? texts.archive.leaveWarning : words.removeWarning}
        <//>
      `
    }
  `;
}

type Department = PersonGrants['departments'][number];
type ChatbotRole = PersonGrants['chatbot_roles'][number];

const departmentColumns = (path: string): Column<Department>[] => [
  {
    title: texts.organization.department,
    cell: ({ department_id, name }) =>
      html`<a class="name" href=${`${path}&department=${encodeURIComponent(department_id)}`} data-page>${name}</a>`,
  },
  { title: texts.access.role, cell: ({ role }) => texts.roles[role] },
  { title: texts.access.since, cell: ({ granted_at }) => formatDate(granted_at), end: true },
];

const CHATBOT_COLUMNS: Column<ChatbotRole>[] = [
  {
    title: texts.chatbots.one,
    cell: ({ chatbot_id }) =>
      html`<a class="name" href=${`/chatbots?chatbot=${encodeURIComponent(chatbot_id)}`} data-page>${chatbot_id}</a>`,
  },
  { title: texts.access.role, cell: ({ role }) => texts.roles[role] },
  { title: texts.access.since, cell: ({ granted_at }) => formatDate(granted_at), end: true },
];
