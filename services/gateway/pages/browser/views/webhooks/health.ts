import { formatDateTime, formatNumber, locale, texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { Facts } from '../../parts/facts.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { Section } from '../../parts/section.ts';
import { useData } from '../../parts/use-data.ts';
import { getHealth, type Webhook } from './calls.ts';

const words = texts.health;

const formatShare = (share: number) =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(share);
const moment = (at: string | null) => (at === null ? words.never : formatDateTime(at));

/** How the receiver of a webhook does. */
export function HealthPart({
  webhook,
  looks,
}: {
  webhook: Webhook;
  /** How often the reader has asked for the latest state. */
  looks: number;
}) {
  const { webhook_id, status, updated_at } = webhook;
  const loaded = useData(`${webhook_id} ${status} ${updated_at} ${looks}`, () => getHealth(webhook_id));
  const { data } = loaded;
  return html`
    <${Section} title=${words.title}>
      ${
        data
          ? html`
            <${Facts}
              facts=${[
                [
                  words.successRate,
                  data.success_rate === null
                    ? words.noAttempts
                    : `${formatShare(data.success_rate)} (${words.attempts(formatNumber(data.attempts.delivered), formatNumber(data.attempts.failed))})`,
                ],
                [words.lastSuccess, moment(data.last_success_at)],
                [words.lastFailure, moment(data.last_failure_at)],
                [words.consecutive, formatNumber(data.consecutive_failures)],
                [words.backlog, formatNumber(data.backlog)],
                ...(data.oldest_pending_at ? [[words.oldest, formatDateTime(data.oldest_pending_at)]] : []),
              ]}
            />
          `
          : html`<${LoadFailure} loaded=${loaded} gone=${texts.webhooks.gone} />`
      }
    <//>
  `;
}
