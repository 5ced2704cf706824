import { useState } from 'preact/hooks';
import { formatDate } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { Facts } from '../../parts/facts.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { Notice } from '../../parts/notice.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { Section } from '../../parts/section.ts';
import { type Column, Table } from '../../parts/table.ts';
import { useData } from '../../parts/use-data.ts';
import { formatNumber } from '../../texts.ts';
import { getOrganization, listAudit, type OrganizationDetail } from '../calls.ts';
import { PersonLink } from '../parts/links.ts';
import { texts } from '../texts.ts';
import type { ViewProps } from '../view-props.ts';
import { EventList } from './event-list.ts';
import { type Change, OrganizationDialog } from './organization-dialog.ts';

const words = texts.organizations;
type Department = OrganizationDetail['departments'][number];

const DEPARTMENTS: Column<Department>[] = [
  {
    title: words.department,
    cell: ({ name, department_id, archived_at }) => html`
      <div class="person">
        <span>${name} ${archived_at && html`<${Badge}>${words.archived}<//>`}</span>
        <small>${department_id}</small>
      </div>
    `,
  },
  { title: words.plan, cell: ({ subscription_plan }) => subscription_plan },
  { title: words.payment, cell: ({ payment_status }) => payment_status },
  { title: words.members, cell: ({ members_total }) => formatNumber(members_total), end: true },
];

/** One organization: what an operator needs to help its people. */
export default function OrganizationView({ id, operator, result }: ViewProps & { id: string }) {
  const loaded = useData(`organization ${id}`, () => getOrganization(id));
  const [change, setChange] = useState<Change>();
  const organization = loaded.data;
  const back = { path: '/admin/organizations', title: words.back };
  if (!organization)
    return html`<${PageTitle} back=${back}>${texts.titles.organizations}<//><${LoadFailure} loaded=${loaded} gone=${words.gone} />`;
  const { name, archived_at, departments } = organization;
  const button = (kind: Change, text: string) =>
    html`<${Button} onClick=${() => setChange(kind)}>${text}<//>`;
  const actions =
    operator.level === 'admin' &&
    html`
      ${!archived_at && departments.length > 0 && button('plan', words.setPlan)}
      ${button('quotas', words.setQuotas)}
      ${organization.able_owners_total === 0 && !archived_at && button('owner', words.addOwner)}
      ${archived_at ? button('restore', words.restore) : button('archive', words.archive)}
    `;
  return html`
    <${PageTitle} back=${back} badge=${archived_at && html`<${Badge} tone="bad">${words.archived}<//>`} actions=${actions}>${name}<//>
    ${organization.able_owners_total === 0 && html`<${Notice} kind="error">${words.noAbleOwner}<//>`}
    <${Section} title=${words.facts}><${Facts} facts=${factsOf(organization)} /><//>
    <${Section} title=${words.departments}>
      <${Table}
        label=${words.departments}
        loaded=${{ ...loaded, data: { data: departments } }}
        columns=${DEPARTMENTS}
        keyOf=${({ department_id }: Department) => department_id}
        empty=${html`<p>${words.noConnections}</p>`}
      />
    <//>
    <${EventList} load=${(query: string) => listAudit(`${query}&organization_id=${encodeURIComponent(id)}`)} />
    ${
      change &&
      html`
        <${OrganizationDialog}
          change=${change}
          organization=${organization}
          reload=${loaded.reload}
          onClose=${() => setChange(undefined)}
          onDone=${() => result.succeed(texts.done)}
        />
      `
    }
  `;
}

function factsOf(organization: OrganizationDetail) {
  const { organization_id, created_at, deletes_at, plan, owners, people_total, quotas } = organization;
  const { connections, domains, webhooks } = organization;
  const quota = ({ limit, own }: { limit: number | null; own: boolean }) =>
    limit === null ? words.byPlan : words.quota(formatNumber(limit), own);
  const list = (items: unknown[]) =>
    items.length === 0
      ? words.noConnections
      : html`<ul class="plain-list">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  return [
    ['ID', html`<span class="id">${organization_id}</span>`, true],
    [words.created, formatDate(created_at)],
    ...(deletes_at ? [[words.deletesAt, formatDate(deletes_at)]] : []),
    [words.plan, plan],
    [words.people, formatNumber(people_total)],
    [words.departments, quota(quotas.departments)],
    [words.members, quota(quotas.members)],
    [
      words.webhooks,
      words.webhookCounts(
        formatNumber(webhooks.total),
        formatNumber(webhooks.failing),
        formatNumber(webhooks.disabled),
      ),
    ],
    [
      words.owners,
      list(
        owners.map(
          ({ user_id, name, email, able }) =>
            html`<${PersonLink} id=${user_id} text=${name ?? email} /> <${Badge} tone=${able ? 'good' : 'bad'}>${able ? words.able : words.unable}<//>`,
        ),
      ),
      true,
    ],
    [
      words.connections,
      list(
        connections.map(
          ({ name, protocol, enabled }) =>
            `${name} (${protocol}, ${enabled ? words.enabled : words.disabled})`,
        ),
      ),
      true,
    ],
    [
      words.domains,
      list(
        domains.map(({ domain, verified, sso_required }) =>
          [domain, verified ? words.verified : words.unverified, sso_required && words.ssoRequired]
            .filter(Boolean)
            .join(', '),
        ),
      ),
      true,
    ],
  ];
}
