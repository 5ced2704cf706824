import { SERVICE_ACCOUNT_PERMISSIONS } from '@gatehouse/shared/access/key-permissions';
import { useState } from 'preact/hooks';
import { html } from '../../../html.ts';
import { formatDate, texts } from '../../../key-texts.ts';
import type { OwnOrganization } from '../../../own-roles.ts';
import { Button } from '../../../parts/button.ts';
import { Confirm } from '../../../parts/confirm.ts';
import { Dialog } from '../../../parts/dialog.ts';
import { Facts } from '../../../parts/facts.ts';
import { Form } from '../../../parts/form.ts';
import { LoadFailure } from '../../../parts/load-failure.ts';
import { PageTitle } from '../../../parts/page-title.ts';
import type { Result } from '../../../parts/result.ts';
import { changeAndReload, useData } from '../../../parts/use-data.ts';
import { navigate } from '../../../router.ts';
import { Keys } from '../../keys/keys.ts';
import {
  deleteServiceAccount,
  getServiceAccount,
  serviceAccountPath,
  updateServiceAccount,
} from './calls.ts';
import { changesOf, ServiceAccountInputs, serviceAccountIn } from './inputs.ts';
import { rolesText } from './list.ts';

const words = texts.serviceAccounts;

/** One service account: its roles, its keys, and its end. */
export default function ServiceAccountPage({
  organization,
  id,
  back,
  result,
}: {
  organization: OwnOrganization;
  id: string;
  back: { path: string; title: string };
  result: Result;
}) {
  const { organization_id, departments } = organization;
  const isReadOnly = organization.archived_at !== undefined;
  const loaded = useData(`${organization_id} ${id}`, () => getServiceAccount(organization_id, id));
  const [open, setOpen] = useState<'change' | 'delete'>();
  const account = loaded.data;
  if (!account) {
    return html`
      <${PageTitle} back=${back}>${words.title}<//>
      <${LoadFailure} loaded=${loaded} gone=${words.gone} />
    `;
  }
  const close = () => setOpen(undefined);
  const change = async (fields: Record<string, string>) => {
    const changes = changesOf(serviceAccountIn(fields), account);
    if (Object.keys(changes).length > 0)
      await changeAndReload(loaded.reload, () => updateServiceAccount(account, changes));
    close();
    result.succeed(words.changed);
  };
  const end = async () => {
    await deleteServiceAccount(account);
    result.succeed(words.deleted(account.name));
    navigate(back.path, { replace: true });
  };
  const actions =
    !isReadOnly &&
    html`
      <${Button} onClick=${() => setOpen('change')}>${words.change}<//>
      <${Button} onClick=${() => setOpen('delete')}>${words.delete}<//>
    `;
  return html`
    <${PageTitle} back=${back} actions=${actions}>${account.name}<//>
    <div class="section">
      <${Facts}
        facts=${[
          [words.roles, rolesText(account, departments), true],
          [words.columns.created, formatDate(account.created_at)],
          [words.id, account.service_account_id, true],
        ]}
      />
    </div>
    <${Keys}
      path=${`${serviceAccountPath(account)}/keys`}
      offered=${SERVICE_ACCOUNT_PERMISSIONS}
      hint=${texts.keys.serviceHint}
      permissionsHint=${texts.keys.servicePermissionsHint}
      isReadOnly=${isReadOnly}
      result=${result}
    />
    ${
      open === 'change' &&
      html`
        <${Dialog} title=${words.changeTitle} onClose=${close}>
          <${Form} submit=${texts.lists.save} onSubmit=${change}>
            <${ServiceAccountInputs} departments=${departments} account=${account} />
          <//>
        <//>
      `
    }
    ${
      open === 'delete' &&
      html`
        <${Confirm} title=${words.deleteTitle(account.name)} action=${words.deleteAction} onConfirm=${end} onClose=${close}>
          ${words.deleteExplanation}
        <//>
      `
    }
  `;
}
