import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { texts } from '../../organization-texts.ts';
import { getOwnRoles, type OwnOrganization, organizationIn } from '../../own-roles.ts';
import { Button } from '../../parts/button.ts';
import { Lazy } from '../../parts/lazy.ts';
import { PageTitle } from '../../parts/page-title.ts';
import type { Result } from '../../parts/result.ts';
import { Tabs } from '../../parts/tabs.ts';
import { changeAndReload } from '../../parts/use-data.ts';
import { navigate, useQuery } from '../../router.ts';
import { ArchivedNotice } from './archived-notice.ts';
import { renameOrganization, restoreOrganization } from './calls.ts';
import { Departments } from './departments.ts';
import { NameDialog } from './name-dialog.ts';
import type { OwnStanding } from './own-standing.ts';

const words = texts.organization;
const OWNER_TABS = ['people', 'audit', 'reports', 'exports'] as const;

/** An organization: its departments, Owners and audit; or one of its departments. */
export function OrganizationPage({
  organization,
  own,
  isLoading,
  picker,
  onChange,
  result,
}: {
  organization: OwnOrganization;
  own: OwnStanding;
  /** Whether the reader's roles are read again. */
  isLoading: boolean;
  picker: ComponentChildren;
  /** Reads the reader's roles again. */
  onChange: () => Promise<void>;
  result: Result;
}) {
  const { organization_id, name } = organization;
  const query = useQuery();
  const [isRenaming, setRenaming] = useState(false);
  const path = `/organization?organization=${encodeURIComponent(organization_id)}`;
  const department = query.get('department');
  /** Shows what is left after the reader has given up a role: the organization, or another one. */
  const leave = async () => {
    const isMember = organizationIn(await getOwnRoles(), organization_id) !== undefined;
    await onChange();
    navigate(isMember ? path : '/organization', { replace: true });
  };
  if (department) {
    const back = { path, title: name };
    const props = { organization, id: department, own, isLoading, back, result, onChange, onLeave: leave };
    return html`<${Lazy} key=${department} load=${() => import('./department.ts')} ...${props} />`;
  }
  const person = query.get('person');
  if (person) {
    const back = { path, title: name };
    const props = { organization_id, id: person, own, back, result, onLeave: leave };
    return html`<${Lazy} key=${person} load=${() => import('./person.ts')} ...${props} />`;
  }
  const service = query.get('service');
  if (service) {
    const back = { path: `${path}&part=service-accounts`, title: words.parts['service-accounts'] };
    const props = { organization, id: service, back, result };
    return html`<${Lazy} key=${service} load=${() => import('./service-accounts/service-account.ts')} ...${props} />`;
  }
  const tabs = [
    { name: 'departments', path, title: words.departments },
    ...(own.seesOwners ? [{ name: 'owners', path: `${path}&part=owners`, title: words.owners }] : []),
    ...(own.isOwner
      ? OWNER_TABS.map((name) => ({ name, path: `${path}&part=${name}`, title: words.parts[name] }))
      : []),
    ...(own.assignsRoles
      ? [
          {
            name: 'service-accounts',
            path: `${path}&part=service-accounts`,
            title: words.parts['service-accounts'],
          },
        ]
      : []),
    { name: 'settings', path: `${path}&part=settings`, title: words.parts.settings },
  ];
  const current = tabs.find((tab) => tab.name === query.get('part'))?.name ?? 'departments';
  const rename = async (name: string) => {
    await changeAndReload(onChange, () => renameOrganization(organization_id, name));
    setRenaming(false);
    result.succeed(words.renamed(name));
  };
  const isArchived = organization.archived_at !== undefined;
  const restore = async () => {
    await changeAndReload(onChange, () => restoreOrganization(organization_id));
    return texts.archive.restored(name);
  };
  // What is archived can be read and left, and nothing else.
  const present = isArchived ? { ...own, isOwner: false } : own;
  const props = { organization_id, own: present, result, onChange };
  const whole = { place: { organization_id, department_id: null }, role: 'Owner', result };
  return html`
    <${PageTitle}
      badge=${present.isOwner && html`<${Button} kind="plain" label=${`${words.rename}: ${name}`} onClick=${() => setRenaming(true)}>${words.rename}<//>`}
      actions=${picker}
    >
      ${name}
    <//>
    ${isArchived && html`<${ArchivedNotice} place=${organization} text=${texts.archive.organizationNotice} restore=${own.isOwner ? restore : undefined} result=${result} />`}
    <${Tabs} label=${name} current=${current} tabs=${tabs} />
    ${current === 'departments' && html`<${Departments} ...${props} path=${path} />`}
    ${current === 'owners' && html`<${Lazy} load=${() => import('./owners.ts')} ...${props} onLeave=${leave} />`}
    ${current === 'people' && html`<${Lazy} load=${() => import('./people.ts')} ...${props} path=${path} />`}
    ${current === 'service-accounts' && html`<${Lazy} load=${() => import('./service-accounts/list.ts')} organization=${organization} path=${path} result=${result} />`}
    ${current === 'settings' && html`<${Lazy} load=${() => import('./settings.ts')} ...${props} organization=${organization} own=${own} onLeave=${leave} />`}
    ${current === 'audit' && html`<${Lazy} load=${() => import('./audit.ts')} organization_id=${organization_id} />`}
    ${current === 'reports' && html`<${Lazy} load=${() => import('./report.ts')} ...${whole} />`}
    ${current === 'exports' && html`<${Lazy} load=${() => import('./exports.ts')} ...${whole} />`}
    ${isRenaming && html`<${NameDialog} title=${words.renameTitle} submit=${texts.actions.saveName} name=${name} onSubmit=${rename} onClose=${() => setRenaming(false)} />`}
  `;
}
