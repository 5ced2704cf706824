import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { formatDate, texts } from '../../organization-texts.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { useData } from '../../parts/use-data.ts';
import { readOrganization, requireSecondFactor } from './calls.ts';

const { policy } = texts;

/** Whether the members of an organization need a second factor, and from when on. */
export function SecondFactorPolicy({ organization_id, result }: { organization_id: string; result: Result }) {
  const { data, reload } = useData(`policy ${organization_id}`, () => readOrganization(organization_id));
  const [isAsking, setAsking] = useState(false);
  if (!data) return null;
  const { second_factor } = data;
  const action = second_factor ? policy.turnOff : policy.turnOn;
  const change = async () => {
    await requireSecondFactor(organization_id, !second_factor);
    await reload();
    result.succeed(second_factor ? policy.turnedOff : policy.turnedOn);
  };
  return html`
    <${Section} title=${policy.title} actions=${html`<${Button} onClick=${() => setAsking(true)}>${action}<//>`}>
      <p class="muted">${second_factor ? policy.on(formatDate(second_factor.grace_ends_at)) : policy.off}</p>
      ${
        isAsking &&
        html`
          <${Confirm} title=${`${action}?`} action=${action} onConfirm=${change} onClose=${() => setAsking(false)}>
            ${second_factor ? policy.offExplanation : policy.onExplanation}
          <//>
        `
      }
    <//>
  `;
}
