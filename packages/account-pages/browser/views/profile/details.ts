import { texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import type { Result } from '../../parts/result.ts';
import type { Profile } from '../../profile.ts';
import { Personal } from './personal.ts';
import { Plan } from './plan.ts';
import { Loading, useProfile } from './use-profile.ts';

/** The person and their plan. */
export default function Details({ result }: { result: Result }) {
  const loaded = useProfile();
  const saved = async () => {
    await loaded.reload();
    result.succeed(texts.profile.saved);
  };
  return html`
    <${Loading} loaded=${loaded}>
      ${(profile: Profile) => html`
        <${Personal} profile=${profile} onSaved=${saved} />
        <${Plan} profile=${profile} />
      `}
    <//>
  `;
}
