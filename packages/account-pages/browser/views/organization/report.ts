import { can, type Role } from '@gatehouse/shared/access/rbac';
import { html } from '../../html.ts';
import { formatNumber, locale, texts } from '../../organization-texts.ts';
import { ActionButton } from '../../parts/action-button.ts';
import { Chart, Shares } from '../../parts/chart.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import type { Result } from '../../parts/result.ts';
import { saveFile } from '../../parts/save-file.ts';
import { Section } from '../../parts/section.ts';
import { Select } from '../../parts/select.ts';
import { useData } from '../../parts/use-data.ts';
import { navigate, useQuery, withQuery } from '../../router.ts';
import {
  getReport,
  REPORT_GROUPS,
  REPORT_METRICS,
  type Report,
  reportPath,
  type WholePlace,
} from './calls.ts';

const words = texts.reports;
const PERIODS = ['30', '90', '365'] as const;
const DAY = 86_400_000;

/** What the groups name, if it is not public to every role. */
const NEEDS = { member: 'view users', chatbot: 'view chatbot' } as const;
const TIMES = ['day', 'week', 'month'] as const;
type Time = (typeof TIMES)[number];
const isTime = (group: string): group is Time => TIMES.includes(group as Time);

/** A report that the reader puts together: what is counted, in which groups, and over which time. */
export default function ReportPart({
  place,
  role,
  result,
}: {
  place: WholePlace;
  role: Role;
  result: Result;
}) {
  const query = useQuery();
  const groups = REPORT_GROUPS.filter((group) => {
    const needed = NEEDS[group as keyof typeof NEEDS];
    return !needed || can(role, needed);
  });
  const metric = REPORT_METRICS.find((each) => each === query.get('metric')) ?? 'events';
  const group = groups.find((each) => each === query.get('group')) ?? 'day';
  const days = PERIODS.find((each) => each === query.get('days')) ?? '30';
  // Whole days, so that the same choice is the same call.
  const to = new Date(Math.ceil(Date.now() / DAY) * DAY);
  const parameters = new URLSearchParams({
    metric,
    group_by: group,
    from: new Date(to.getTime() - Number(days) * DAY).toISOString(),
    to: to.toISOString(),
  }).toString();
  const loaded = useData(`${place.department_id} ${parameters}`, () => getReport(place, parameters));
  const choose = (name: string) => (value: string) => navigate(withQuery({ [name]: value }));
  const save = async () => {
    await saveFile(reportPath(place, `${parameters}&format=csv`), `${metric}.csv`);
    return texts.exports.downloaded;
  };
  return html`
    <${Section} title=${words.title} actions=${html`<${ActionButton} run=${save} result=${result}>${words.download}<//>`}>
      <div class="filters" role="group" aria-label=${words.title}>
        <${Select} name="metric" label=${words.metric} value=${metric} options=${REPORT_METRICS.map((each) => [each, words.metrics[each]])} onChange=${choose('metric')} />
        <${Select} name="group" label=${words.group} value=${group} options=${groups.map((each) => [each, words.groups[each]])} onChange=${choose('group')} />
        <${Select} name="days" label=${texts.analytics.period} value=${days} options=${PERIODS.map((each) => [each, texts.analytics.days(each)])} onChange=${choose('days')} />
      </div>
      ${loaded.data ? html`<${Counts} report=${loaded.data} />` : html`<${LoadFailure} loaded=${loaded} gone=${texts.organization.departmentGone} />`}
    <//>
  `;
}

const Counts = ({ report: { metric, group_by, groups, total, others } }: { report: Report }) => {
  if (total === 0) return html`<p class="empty">${words.none}</p>`;
  const bars = groups.map(({ group, count }) => ({ label: labelOf(group_by, group), value: count }));
  if (others > 0) bars.push({ label: words.others, value: others });
  const title = words.by(words.metrics[metric], words.groups[group_by]);
  const summary = words.summary(words.metrics[metric], formatNumber(total));
  return html`
    <dl class="tiles"><div><dt>${words.metrics[metric]}</dt><dd>${formatNumber(total)}</dd></div></dl>
    ${
      isTime(group_by)
        ? html`<${Chart} title=${title} summary=${summary} columns=${[words.groups[group_by], words.count]} bars=${bars} />`
        : html`<${Shares} title=${title} bars=${bars} />`
    }
  `;
};

/** A group as the reader knows it; its time is that of UTC. */
function labelOf(group_by: Report['group_by'], group: string): string {
  if (group_by === 'action') return texts.activity.actions[group] ?? group;
  if (!isTime(group_by)) return group;
  const format: Intl.DateTimeFormatOptions =
    group_by === 'month' ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat(locale, { ...format, timeZone: 'UTC' }).format(new Date(group));
}
