import { texts } from '../account-texts.ts';
import { html } from '../html.ts';
import { ResultToast, useResult } from '../parts/result.ts';
import { Tabs } from '../parts/tabs.ts';
import { useQuery } from '../router.ts';
import { Account } from './profile/account.ts';
import { Activity } from './profile/activity.ts';

const TABS = [
  { name: 'account', path: '/profile', title: texts.profile.account },
  { name: 'activity', path: '/profile?part=activity', title: texts.activity.title },
];

/** The signed-in account: its details, plan, password and sessions; or its audit trail. */
export default function ProfilePage() {
  const current = useQuery().get('part') === 'activity' ? 'activity' : 'account';
  const result = useResult();
  return html`
    <h1>${texts.titles.profile}</h1>
    <${Tabs} label=${texts.titles.profile} current=${current} tabs=${TABS} />
    ${current === 'account' ? html`<${Account} result=${result} />` : html`<${Activity} />`}
    <${ResultToast} result=${result} />
  `;
}
