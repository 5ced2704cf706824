import { html } from '../../html.ts';
import { Chart } from '../../parts/chart.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { PageTitle } from '../../parts/page-title.ts';
import { Section } from '../../parts/section.ts';
import { useData } from '../../parts/use-data.ts';
import { formatNumber, locale } from '../../texts.ts';
import { type Attention, type Figures, getAttention, getFigures } from '../calls.ts';
import { texts } from '../texts.ts';

const words = texts.overview;

/** What each chart counts in an hour. */
const COUNTS: Record<keyof typeof words.charts, (hour: Figures) => number> = {
  signups: ({ signups }) => signups,
  logins: ({ logins }) => logins,
  refused_logins: ({ refused_logins }) => refused_logins,
  mails: ({ codes_mailed, notices_mailed }) => codes_mailed + notices_mailed,
  mails_failed: ({ mails_failed }) => mails_failed,
  webhook_deliveries: ({ webhook_deliveries }) => webhook_deliveries,
  webhook_failures: ({ webhook_failures }) => webhook_failures,
};
const CHARTS = Object.keys(COUNTS) as (keyof typeof COUNTS)[];

/** What needs an operator, and what happened in the last day. */
export default function Overview() {
  const attention = useData('attention', getAttention);
  const figures = useData('figures', getFigures);
  return html`
    <${PageTitle}>${texts.titles.overview}<//>
    <${Section} title=${words.attention}>
      ${attention.data ? html`<${Findings} findings=${attention.data.data} />` : html`<${LoadFailure} loaded=${attention} gone=${texts.notOperator} />`}
    <//>
    <${Section} title=${words.lastDay}>
      ${
        figures.data
          ? html`<div class="console-charts">${CHARTS.map((name) => html`<${HourChart} name=${name} hours=${figures.data?.data} />`)}</div>`
          : html`<${LoadFailure} loaded=${figures} gone=${texts.notOperator} />`
      }
    <//>
  `;
}

const Findings = ({ findings }: { findings: Attention[] }) =>
  findings.length === 0
    ? html`<p>${words.quiet}</p>`
    : html`
        <ul class="findings">
          ${findings.map(
            ({ kind, severity, text, names }) => html`
              <li key=${kind} class=${severity === 'error' ? 'blocks' : 'warns'}>
                ${words.places[kind] ? html`<a href=${words.places[kind]} data-page>${text}</a>` : html`<span>${text}</span>`}
                ${names.length > 0 && html`<small>${names.join(', ')}</small>`}
              </li>
            `,
          )}
        </ul>
      `;

const formatHour = (iso: string) =>
  new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }).format(new Date(iso));

function HourChart({ name, hours }: { name: keyof typeof COUNTS; hours: Figures[] }) {
  const bars = hours.map((hour) => ({ label: formatHour(hour.at), value: COUNTS[name](hour) }));
  const total = formatNumber(bars.reduce((sum, { value }) => sum + value, 0));
  const title = words.charts[name];
  return html`
    <${Chart}
      title=${`${title}: ${total}`}
      summary=${words.summary(title, total)}
      columns=${[words.hour, words.count]}
      bars=${bars}
    />
  `;
}
