import { html } from '../../html.ts';
import { Facts } from '../../parts/facts.ts';
import { Section } from '../../parts/section.ts';
import { formatDateTime, formatNumber, locale, texts } from '../../webhook-texts.ts';
import type { Health } from './calls.ts';

const words = texts.health;

const formatShare = (share: number) =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(share);
const moment = (at: string | null) => (at === null ? words.never : formatDateTime(at));

/** How the receiver of a webhook does. */
export const HealthPart = ({ health }: { health: Health }) => html`
  <${Section} title=${words.title}>
    <${Facts}
      facts=${[
        [
          words.successRate,
          health.success_rate === null
            ? words.noAttempts
            : `${formatShare(health.success_rate)} (${words.attempts(formatNumber(health.attempts.delivered), formatNumber(health.attempts.failed))})`,
        ],
        [words.lastSuccess, moment(health.last_success_at)],
        [words.lastFailure, moment(health.last_failure_at)],
        [words.consecutive, formatNumber(health.consecutive_failures)],
        [words.backlog, formatNumber(health.backlog)],
        ...(health.oldest_pending_at ? [[words.oldest, formatDateTime(health.oldest_pending_at)]] : []),
      ]}
    />
  <//>
`;
