import { can, type Role } from '@gatehouse/shared/access/rbac';
import { useState } from 'preact/hooks';
import { html } from '../../html.ts';
import { formatDate, texts } from '../../organization-texts.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Facts } from '../../parts/facts.ts';
import { Form } from '../../parts/form.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { Select } from '../../parts/select.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { PAYMENT_TONES } from './billing-history.ts';
import { changePlan, getBilling, PLANS, type Place } from './calls.ts';

const words = texts.billing;

/** The plan of a department and its payment. */
export function Plan({
  place,
  role,
  isArchived,
  result,
}: {
  place: Place;
  role: Role;
  isArchived: boolean;
  result: Result;
}) {
  const loaded = useData(place.department_id, () => getBilling(place));
  const [isChanging, setChanging] = useState(false);
  const { data } = loaded;
  const change = async ({ subscription_plan = '' }: Record<string, string>) => {
    await changeAndReload(loaded.reload, () => changePlan(place, subscription_plan));
    setChanging(false);
    result.succeed(words.changed(subscription_plan));
  };
  const button =
    data &&
    !isArchived &&
    can(role, 'upgrade/downgrade plan') &&
    html`<${Button} kind="primary" onClick=${() => setChanging(true)}>${words.change}<//>`;
  return html`
    <${Section} title=${words.title} actions=${button}>
      ${
        data
          ? html`
            <${Facts}
              facts=${[
                [words.plan, html`<strong>${data.subscription_plan}</strong>`],
                [
                  words.payment,
                  html`<${Badge} tone=${PAYMENT_TONES[data.payment_status]}>${words.payments[data.payment_status]}<//>`,
                ],
                [words.chosen, formatDate(data.subscription_date)],
              ]}
            />
            <p class="muted">${words.explanation}</p>
          `
          : html`<${LoadFailure} loaded=${loaded} gone=${texts.organization.departmentGone} />`
      }
    <//>
    ${
      isChanging &&
      data &&
      html`
        <${Dialog} title=${words.change} onClose=${() => setChanging(false)}>
          <${Form} submit=${words.change} onSubmit=${change}>
            <${Select}
              name="subscription_plan"
              label=${words.plan}
              hint=${words.hint}
              value=${data.subscription_plan}
              options=${PLANS.map((plan) => [plan, plan])}
            />
          <//>
        <//>
      `
    }
  `;
}
