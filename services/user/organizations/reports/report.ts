import { AppError } from '@gatehouse/shared/http/errors';
import { isoDateTime, oneOf } from '@gatehouse/shared/http/fields';
import { strictQuery } from '@gatehouse/shared/operation/lists';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { csvLine } from '../../csv.ts';
import { operation } from '../operation.ts';
import { placesFor, tenantInPath } from '../places.ts';
import type { ViewPermission } from '../view-permission.ts';
import { viewPermissionsOf, visibleEvents } from '../visible-events.ts';
import { countEvents, GROUPS, type Grouping, MAX_GROUPS } from './count-events.ts';
import { METRIC_NAMES, METRICS } from './metrics.ts';
import { MAX_DAYS, periodOf } from './period.ts';

const description = `Counts audit events of up to ${MAX_DAYS} days by UTC day, week (from Monday), month, member (the account that acted), chatbot or action; by default all events of the last 30 days by day. Members need \`view users\`, chatbots \`view chatbot\`; billing events are counted only with \`view billing\`. At most ${MAX_GROUPS} groups are shown, the largest, and \`others\` counts the rest. \`format=csv\`, or \`Accept: text/csv\` without \`application/json\`, returns CSV.`;

const parameters = strictQuery({
  metric: oneOf(METRIC_NAMES).default('events'),
  group_by: oneOf(GROUPS).default('day'),
  from: isoDateTime.optional().meta({ description: 'Events at this time or later' }),
  to: isoDateTime.optional().meta({ description: 'Events before this time; by default now' }),
  format: oneOf(['json', 'csv']).optional(),
});

const dateTime = z.string().meta({ format: 'date-time' });
const reportRecord = z
  .object({
    metric: z.enum(METRIC_NAMES),
    group_by: z.enum(GROUPS),
    from: dateTime,
    to: dateTime,
    total: z.int(),
    groups: z.array(z.object({ group: z.string(), count: z.int() })),
    others: z.int(),
  })
  .meta({
    description: 'The report',
    examples: [
      {
        metric: 'chatbots_created',
        group_by: 'month',
        from: '2025-12-01T00:00:00.000Z',
        to: '2026-02-01T00:00:00.000Z',
        total: 7,
        groups: [
          { group: '2025-12', count: 5 },
          { group: '2026-01', count: 2 },
        ],
        others: 0,
      },
    ],
  });
type Report = z.infer<typeof reportRecord>;

/** The permission to see the names of the groups, where not every role has it. */
const NEEDS: Partial<Record<Grouping, ViewPermission>> = { member: 'view users', chatbot: 'view chatbot' };

export const reports = placesFor('custom reports').map(({ of, path, needs, byKey }) =>
  operation(`GET ${path}/reports`, {
    needs,
    byKey,
    summary: `Report on ${of}`,
    description,
    query: parameters,
    returns: reportRecord,
    orCsv: true,
    async handle({ db, now, request, reply, query }) {
      const { metric, group_by, format } = query;
      const permissions = viewPermissionsOf(request);
      const needed = NEEDS[group_by];
      if (needed && !permissions.has(needed))
        throw new AppError('forbidden', { text: `Groups by ${group_by} need the permission "${needed}"` });
      const period = periodOf(query, now());
      const events = { $and: [visibleEvents(tenantInPath(request), permissions), METRICS[metric]] };
      const { groups, total } = await countEvents(db, events, group_by, period);
      const shown = groups.reduce((sum, { count }) => sum + count, 0);
      const counted: Report = {
        metric,
        group_by,
        from: new Date(period.from).toISOString(),
        to: new Date(period.to).toISOString(),
        total,
        groups,
        others: Math.max(0, total - shown),
      };
      reply.header('vary', 'Accept');
      return prefersCsv(request, format) ? sendCsv(reply, counted) : counted;
    },
  }),
);

/** The parameter decides, or else what the client accepts. */
const prefersCsv = ({ headers: { accept = '' } }: FastifyRequest, format: 'json' | 'csv' | undefined) =>
  format ? format === 'csv' : /text\/csv/i.test(accept) && !/application\/json/i.test(accept);

function sendCsv(reply: FastifyReply, { metric, group_by, groups, others }: Report) {
  const rows = groups.map(({ group, count }) => csvLine([group, count]));
  const rest = others > 0 ? [csvLine(['(others)', others])] : [];
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${metric}-by-${group_by}.csv"`)
    .serializer((text: string) => text)
    .send([csvLine([group_by, 'count']), ...rows, ...rest].join(''));
}
