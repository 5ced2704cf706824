import { texts } from '../../account-texts.ts';
import { get } from '../../api.ts';
import { html } from '../../html.ts';
import { Button } from '../../parts/button.ts';
import { Notice } from '../../parts/notice.ts';
import type { Result } from '../../parts/result.ts';
import { useData } from '../../parts/use-data.ts';
import { Details } from './details.ts';
import { PasswordSection } from './password.ts';
import { Plan } from './plan.ts';
import type { Profile } from './record.ts';
import { Sessions } from './sessions.ts';

/** The details, plan, password and sessions of the account. */
export function Account({ result }: { result: Result }) {
  const { data: profile, error, reload } = useData('me', () => get<Profile>('/api/v1/users/me'));
  const saved = async () => {
    await reload();
    result.succeed(texts.profile.saved);
  };
  if (profile)
    return html`
      <${Details} profile=${profile} onSaved=${saved} />
      <${Plan} profile=${profile} />
      <${PasswordSection} email=${profile.email} />
      <${Sessions} result=${result} />
    `;
  if (error)
    return html`
      <${Notice} kind="error" requestId=${error.requestId}>${error.message}<//>
      <div><${Button} onClick=${reload}>${texts.table.retry}<//></div>
    `;
  return html`
    <div class="skeleton tall" role="status" aria-label=${texts.table.loading}></div>
    <div class="skeleton" aria-hidden="true"></div>
    <div class="skeleton" aria-hidden="true"></div>
  `;
}
