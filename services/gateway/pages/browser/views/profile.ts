import { useState } from 'preact/hooks';
import { texts } from '../account-texts.ts';
import { get } from '../api.ts';
import { html } from '../html.ts';
import { Button } from '../parts/button.ts';
import { Notice } from '../parts/notice.ts';
import { ResultToast, useResult } from '../parts/result.ts';
import { useData } from '../parts/use-data.ts';
import { Activity } from './profile/activity.ts';
import { Details } from './profile/details.ts';
import { PasswordSection } from './profile/password.ts';
import { Plan } from './profile/plan.ts';
import type { Profile } from './profile/record.ts';
import { Sessions } from './profile/sessions.ts';

/** The signed-in account: its details, plan, password, sessions and audit trail. */
export default function ProfilePage() {
  const { data: profile, error, reload } = useData('me', () => get<Profile>('/api/v1/users/me'));
  const [version, setVersion] = useState(0);
  const changed = () => setVersion((before) => before + 1);
  const result = useResult();
  if (!profile) {
    return html`
      <h1>${texts.titles.profile}</h1>
      ${
        error
          ? html`
              <${Notice} kind="error" requestId=${error.requestId}>${error.message}<//>
              <div><${Button} onClick=${reload}>${texts.table.retry}<//></div>
            `
          : html`
              <div class="skeleton tall" role="status" aria-label=${texts.table.loading}></div>
              <div class="skeleton" aria-hidden="true"></div>
              <div class="skeleton" aria-hidden="true"></div>
            `
      }
    `;
  }
  return html`
    <h1>${texts.titles.profile}</h1>
    <${Details} profile=${profile} onSaved=${async () => {
      await reload();
      result.succeed(texts.profile.saved);
      changed();
    }} />
    <${Plan} profile=${profile} />
    <${PasswordSection} email=${profile.email} />
    <${Sessions} result=${result} onChanged=${changed} />
    <${Activity} userId=${profile.user_id} version=${version} />
    <${ResultToast} result=${result} />
  `;
}
