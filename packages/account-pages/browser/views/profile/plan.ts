import { tierOf } from '@gatehouse/shared/access/tiers';
import { useEffect, useState } from 'preact/hooks';
import { formatDate, formatNumber, formatTime, texts } from '../../account-texts.ts';
import { type Budget, latestBudget, onBudgetChange } from '../../budget.ts';
import { html } from '../../html.ts';
import { Facts } from '../../parts/facts.ts';
import { Meter } from '../../parts/meter.ts';
import { Section } from '../../parts/section.ts';
import type { Profile } from '../../profile.ts';

/** The plan of the account, its limits, and how much of them is used. */
export function Plan({ profile }: { profile: Profile }) {
  const { subscription_plan, subscription_expiry, payment_status } = profile;
  const plan = subscription_plan ?? 'Free';
  const windows = tierOf(plan);
  const limits = windows.map(
    ({ seconds, limit }) => `${formatNumber(limit)} ${texts.plan.perWindow[seconds]}`,
  );
  const isPaid = plan !== 'Free';
  return html`
    <${Section} title=${texts.plan.title}>
      <${Facts}
        facts=${[
          [texts.plan.plan, plan],
          ...(isPaid
            ? [[texts.plan.payment, texts.plan.paymentStatus[payment_status] ?? payment_status]]
            : []),
          ...(subscription_expiry && !Number.isNaN(Date.parse(subscription_expiry))
            ? [[texts.plan.expires, formatDate(subscription_expiry)]]
            : []),
          [texts.plan.limits, limits.join(', ') || texts.plan.unlimited, true],
        ]}
      />
      <${Usage} windows=${windows} />
    <//>
  `;
}

/** The use of the window that is nearest to its limit, as the latest answer told it. */
function Usage({ windows }: { windows: ReturnType<typeof tierOf> }) {
  const budget = useBudget();
  const window = windows.find(({ limit }) => limit === budget?.limit);
  if (!budget || !window) return null;
  const { limit, remaining, resetsAt } = budget;
  const isOver = resetsAt <= Date.now();
  const left = isOver ? limit : remaining;
  const period = texts.plan.window[window.seconds] ?? '';
  const used = texts.plan.used(formatNumber(limit - left), formatNumber(limit), period);
  return html`
    <div class="usage">
      <p>${used}</p>
      <${Meter} label=${texts.plan.limits} used=${limit - left} limit=${limit} text=${used} />
      <p class="hint">
        ${texts.plan.left(formatNumber(left))}${!isOver && html` · ${texts.plan.resetsAt(formatTime(resetsAt))}`}
      </p>
    </div>
  `;
}

/** The latest budget. It renders again after each call, and when the window ends. */
function useBudget(): Budget | undefined {
  const [budget, setBudget] = useState(latestBudget);
  useEffect(() => onBudgetChange(setBudget), []);
  useEffect(() => {
    if (!budget) return;
    const timer = setTimeout(() => setBudget({ ...budget }), Math.max(0, budget.resetsAt - Date.now()));
    return () => clearTimeout(timer);
  }, [budget?.resetsAt]);
  return budget;
}
