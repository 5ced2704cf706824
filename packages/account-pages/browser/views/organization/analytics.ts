import { html } from '../../html.ts';
import { formatNumber, locale, texts } from '../../organization-texts.ts';
import { Chart, Shares } from '../../parts/chart.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { Section } from '../../parts/section.ts';
import { Select } from '../../parts/select.ts';
import { useData } from '../../parts/use-data.ts';
import { navigate, useQuery, withQuery } from '../../router.ts';
import { getAnalytics, type Place } from './calls.ts';

const words = texts.analytics;
const PERIODS = ['7', '30', '90'] as const;

/** The days are those of UTC, so they are shown as such. */
const formatDay = (date: string) =>
  new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(date));

/** How many people and chatbots a department has, and how much happens in it. */
export function AnalyticsPart({ place }: { place: Place }) {
  const query = useQuery();
  const days = PERIODS.find((each) => each === query.get('days')) ?? '30';
  const loaded = useData(`${place.department_id} ${days}`, () => getAnalytics(place, Number(days)));
  const period = html`
    <${Select}
      name="days"
      label=${words.period}
      value=${days}
      options=${PERIODS.map((each) => [each, words.days(each)])}
      onChange=${(value: string) => navigate(withQuery({ days: value }))}
    />
  `;
  if (!loaded.data)
    return html`<${Section} title=${words.title}><${LoadFailure} loaded=${loaded} gone=${texts.organization.departmentGone} /><//>`;
  const { users, chatbots, activity } = loaded.data;
  const total = activity.reduce((sum, day) => sum + day.events, 0);
  const bars = activity.map(({ date, events }) => ({ label: formatDay(date), value: events }));
  const most = bars.reduce((best, bar) => (bar.value > best.value ? bar : best), { label: '', value: 0 });
  const shares = <Name extends string>(counts: Record<Name, number>, names: Record<Name, string>) =>
    (Object.keys(counts) as Name[]).map((name) => ({ label: names[name], value: counts[name] }));
  return html`
    <${Section} title=${words.title} actions=${period}>
      <dl class="tiles">
        ${[
          [words.members, users.total],
          [words.chatbots, chatbots.total],
          [words.events, total],
        ].map(([term, value]) => html`<div><dt>${term}</dt><dd>${formatNumber(value as number)}</dd></div>`)}
      </dl>
      ${
        total > 0
          ? html`
            <${Chart}
              title=${words.eventsByDay}
              summary=${words.summary(total, formatNumber(total), days, most.label, formatNumber(most.value))}
              columns=${[words.day, words.events]}
              bars=${bars}
            />
          `
          : html`<p class="empty">${words.noEvents}</p>`
      }
      <div class="columns">
        <${Shares} title=${words.byRole} bars=${shares(users.by_role, texts.roles)} />
        <${Shares} title=${words.byType} bars=${shares(chatbots.by_type, texts.chatbots.types)} />
        <${Shares} title=${words.byStatus} bars=${shares(chatbots.by_status, texts.chatbots.statuses)} />
      </div>
    <//>
  `;
}
