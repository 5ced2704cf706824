import { html } from '../../html.ts';
import { Field } from '../../parts/field.ts';
import { Select } from '../../parts/select.ts';
import { changeAndReload } from '../../parts/use-data.ts';
import { PLANS } from '../../views/organization/calls.ts';
import { addOwner, closeOrReopen, type OrganizationDetail, setPlan, setQuotas } from '../calls.ts';
import { ChangeDialog } from '../parts/change-dialog.ts';
import { texts } from '../texts.ts';

const words = texts.organizations;

/** Changes of an organization that need the level `admin`. */
export type Change = 'plan' | 'quotas' | 'owner' | 'archive' | 'restore';

const TITLES: Record<Change, string> = {
  plan: words.setPlanOf,
  quotas: words.setQuotas,
  owner: words.addOwner,
  archive: words.archive,
  restore: words.restore,
};

interface Props {
  change: Change;
  organization: OrganizationDetail;
  reload: () => Promise<void>;
  onClose: () => void;
  onDone: () => void;
}

/** A change of an organization, with its fields. */
export const OrganizationDialog = ({ change, organization, reload, onClose, onDone }: Props) => html`
  <${ChangeDialog}
    title=${TITLES[change]}
    action=${TITLES[change]}
    isDestructive=${change === 'archive'}
    explanation=${change === 'archive' ? words.archiveHint : change === 'quotas' ? words.quotaHint : undefined}
    onClose=${onClose}
    onSubmit=${async (fields: Record<string, string>) => {
      await changeAndReload(reload, () => send(change, organization.organization_id, fields));
      onDone();
    }}
  >
    ${fieldsOf(change, organization)}
  <//>
`;

function send(change: Change, id: string, fields: Record<string, string>): Promise<unknown> {
  const { reason = '' } = fields;
  const limit = (text = '') => (text.trim() === '' ? null : Number(text));
  if (change === 'plan') return setPlan(id, fields);
  if (change === 'owner') return addOwner(id, fields.user_id ?? '', reason);
  if (change === 'quotas') {
    const { departments, members } = fields;
    return setQuotas(id, { departments: limit(departments), members: limit(members), reason });
  }
  return closeOrReopen(id, change, reason);
}

function fieldsOf(change: Change, { departments, quotas }: OrganizationDetail) {
  if (change === 'plan')
    return html`
      <${Select} name="department_id" label=${words.department} options=${departments.map(({ department_id, name }) => [department_id, name])} />
      <${Select} name="subscription_plan" label=${words.plan} options=${PLANS.map((plan) => [plan, plan])} />
    `;
  if (change === 'owner')
    return html`<${Field} name="user_id" label=${words.ownerId} autocomplete="off" maxlength="200" />`;
  if (change !== 'quotas') return undefined;
  const own = ({ limit, own }: { limit: number | null; own: boolean }) => (own ? String(limit) : '');
  const field = (name: 'departments' | 'members', label: string) =>
    html`<${Field} name=${name} label=${label} type="number" min="1" required=${false} value=${own(quotas[name])} />`;
  return html`${field('departments', words.departmentsQuota)}${field('members', words.membersQuota)}`;
}
