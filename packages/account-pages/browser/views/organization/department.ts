import { can } from '@gatehouse/shared/access/rbac';
import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { texts } from '../../organization-texts.ts';
import type { OwnOrganization } from '../../own-roles.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { Lazy } from '../../parts/lazy.ts';
import { Loading } from '../../parts/load-failure.ts';
import { Notice } from '../../parts/notice.ts';
import { PageTitle } from '../../parts/page-title.ts';
import type { Result } from '../../parts/result.ts';
import { Tabs } from '../../parts/tabs.ts';
import { changeAndReload } from '../../parts/use-data.ts';
import { useQuery } from '../../router.ts';
import { AnalyticsPart } from './analytics.ts';
import { ArchivedNotice } from './archived-notice.ts';
import { BillingHistory } from './billing-history.ts';
import { renameDepartment, restoreDepartment } from './calls.ts';
import { Invitations } from './invitations.ts';
import { Members } from './members.ts';
import { NameDialog } from './name-dialog.ts';
import type { OwnStanding } from './own-standing.ts';
import { Plan } from './plan.ts';

const words = texts.organization;

/** One department, as far as the reader's role allows. */
export default function DepartmentPage({
  organization: { organization_id, departments },
  id,
  own,
  isLoading,
  back,
  result,
  onChange,
  onLeave,
}: {
  organization: OwnOrganization;
  id: string;
  own: OwnStanding;
  /** Whether the reader's roles are read again. */
  isLoading: boolean;
  back: { path: string; title: string };
  result: Result;
  /** Reads the reader's roles again. */
  onChange: () => Promise<void>;
  onLeave: () => Promise<void>;
}) {
  const query = useQuery();
  const [isRenaming, setRenaming] = useState(false);
  const department = departments.find(({ department_id }) => department_id === id);
  if (!department) {
    return html`
      <${PageTitle} back=${back}>${words.department}<//>
      ${isLoading ? html`<${Loading} />` : html`<${Notice} kind="info">${words.departmentGone}<//>`}
    `;
  }
  const { role } = department;
  const place = { organization_id, department_id: id };
  const path = `${back.path}&department=${encodeURIComponent(id)}`;
  const tabs = [
    ...(can(role, 'view users') ? ['members', 'invitations'] : []),
    ...(can(role, 'view billing') ? ['plan'] : []),
    ...(can(role, 'manage payment') ? ['history'] : []),
    ...(can(role, 'view analytics') ? ['analytics'] : []),
    ...(can(role, 'custom reports') ? ['reports'] : []),
    ...(can(role, 'export data') ? ['exports'] : []),
    ...(own.isOwner && !department.archived_at ? ['settings'] : []),
  ].map((name) => ({
    name,
    path: `${path}&part=${name}`,
    title: words.parts[name as keyof typeof words.parts],
  }));
  const current = (tabs.find((tab) => tab.name === query.get('part')) ?? tabs[0])?.name ?? '';
  const isArchived = department.archived_at !== undefined;
  const props = { place, own, role, result, onChange, onLeave };
  // What is archived can be read and left, and nothing else.
  const changing = isArchived ? { ...props, role: 'Viewer' } : props;
  const restore = async () => {
    await changeAndReload(onChange, () => restoreDepartment(place));
    return texts.archive.restored(department.name);
  };
  const rename = async (name: string) => {
    await changeAndReload(onChange, () => renameDepartment(place, name));
    setRenaming(false);
    result.succeed(words.renamed(name));
  };
  return html`
    <${PageTitle}
      back=${back}
      badge=${html`<${Badge}>${words.youAre(texts.roles[role])}<//>`}
      actions=${own.isOwner && !isArchived && html`<${Button} onClick=${() => setRenaming(true)}>${words.rename}<//>`}
    >
      ${department.name}
    <//>
    ${isArchived && html`<${ArchivedNotice} place=${department} text=${texts.archive.departmentNotice} restore=${own.isOwner ? restore : undefined} result=${result} />`}
    <${Tabs} label=${department.name} current=${current} tabs=${tabs} />
    ${current === 'members' && html`<${Members} ...${changing} />`}
    ${current === 'invitations' && html`<${Invitations} ...${changing} />`}
    ${current === 'plan' && html`<${Plan} ...${props} isArchived=${isArchived} />`}
    ${current === 'history' && html`<${BillingHistory} place=${place} />`}
    ${current === 'analytics' && html`<${AnalyticsPart} place=${place} />`}
    ${current === 'reports' && html`<${Lazy} load=${() => import('./report.ts')} ...${props} />`}
    ${current === 'exports' && html`<${Lazy} load=${() => import('./exports.ts')} ...${props} />`}
    ${current === 'settings' && html`<${Lazy} load=${() => import('./archive-department.ts')} ...${props} department=${department} others=${departments.filter((each) => each !== department)} />`}
    ${isRenaming && html`<${NameDialog} title=${words.renameTitle} submit=${texts.actions.saveName} name=${department.name} onSubmit=${rename} onClose=${() => setRenaming(false)} />`}
  `;
}
