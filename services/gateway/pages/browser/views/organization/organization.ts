import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { Lazy } from '../../parts/lazy.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { PageTitle } from '../../parts/page-title.ts';
import type { Result } from '../../parts/result.ts';
import { Tabs } from '../../parts/tabs.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { navigate, useQuery } from '../../router.ts';
import { Audit } from './audit.ts';
import { listOrganizations, type Organization, renameOrganization } from './calls.ts';
import { DepartmentPage } from './department.ts';
import { Departments } from './departments.ts';
import { NameDialog } from './name-dialog.ts';
import { ownStanding } from './own-role.ts';
import { Owners } from './owners.ts';

const words = texts.organization;
const ownerTabs = ['audit', 'reports', 'exports'] as const;

/** An organization: its departments, Owners and audit; or one of its departments. */
export function OrganizationPage({
  organization,
  picker,
  onChange,
  result,
}: {
  organization: Organization;
  picker: ComponentChildren;
  /** Loads the organizations again. */
  onChange: () => Promise<void>;
  result: Result;
}) {
  const { organization_id, name } = organization;
  const query = useQuery();
  const [isRenaming, setRenaming] = useState(false);
  const loaded = useData(organization_id, () => ownStanding(organization_id));
  const own = loaded.data;
  const path = `/organization?organization=${encodeURIComponent(organization_id)}`;
  const department = query.get('department');
  /** Shows what is left after the reader has given up a role: the organization, or another one. */
  const leave = async () => {
    const { data } = await listOrganizations();
    const isMember = data.some((each) => each.organization_id === organization_id);
    await onChange();
    navigate(isMember ? path : '/organization', { replace: true });
    if (isMember) await loaded.reload();
  };
  if (own && department) {
    const place = { organization_id, department_id: department };
    const back = { path, title: name };
    return html`<${DepartmentPage} key=${department} place=${place} own=${own} back=${back} result=${result} onLeave=${leave} />`;
  }
  const tabs = [
    { name: 'departments', path, title: words.departments },
    ...(own?.seesOwners ? [{ name: 'owners', path: `${path}&part=owners`, title: words.owners }] : []),
    ...(own?.isOwner
      ? ownerTabs.map((name) => ({ name, path: `${path}&part=${name}`, title: words.parts[name] }))
      : []),
  ];
  const current = tabs.find((tab) => tab.name === query.get('part'))?.name ?? 'departments';
  const rename = async (name: string) => {
    await changeAndReload(onChange, () => renameOrganization(organization_id, name));
    setRenaming(false);
    result.succeed(words.renamed(name));
  };
  const props = { organization_id, own, result };
  const whole = { place: { organization_id, department_id: null }, role: 'Owner', result };
  return html`
    <${PageTitle}
      badge=${own?.isOwner && html`<${Button} kind="plain" label=${`${words.rename}: ${name}`} onClick=${() => setRenaming(true)}>${words.rename}<//>`}
      actions=${picker}
    >
      ${name}
    <//>
    ${
      own
        ? html`
          <${Tabs} label=${name} current=${current} tabs=${tabs} />
          ${current === 'departments' && html`<${Departments} ...${props} path=${path} />`}
          ${current === 'owners' && html`<${Owners} ...${props} onLeave=${leave} />`}
          ${current === 'audit' && html`<${Audit} organization_id=${organization_id} />`}
          ${current === 'reports' && html`<${Lazy} load=${() => import('./report.ts')} ...${whole} />`}
          ${current === 'exports' && html`<${Lazy} load=${() => import('./exports.ts')} ...${whole} />`}
        `
        : html`<${LoadFailure} loaded=${loaded} gone=${words.gone} />`
    }
    ${isRenaming && html`<${NameDialog} title=${words.renameTitle} submit=${texts.lists.save} name=${name} onSubmit=${rename} onClose=${() => setRenaming(false)} />`}
  `;
}
