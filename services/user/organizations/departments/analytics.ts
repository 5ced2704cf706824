import { ROLES } from '@gatehouse/shared/access/rbac';
import { CHATBOT_TYPES } from '@gatehouse/shared/contract/chatbot-types';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { positiveInteger, strictQuery } from '@gatehouse/shared/operation/lists';
import type { Filter } from 'mongodb';
import { z } from 'zod';
import { isMember } from '../../access/memberships/states.ts';
import { CHATBOT_STATUSES } from '../../chatbots/records.ts';
import type { Database } from '../../database.ts';
import { operation } from '../operation.ts';
import { DAY } from '../reports/calendar.ts';
import { countBy, START_OF_DAY } from '../reports/count-by.ts';
import { viewPermissionsOf, visibleEvents } from '../visible-events.ts';

const MAX_DAYS = 90;
const count = z.int().min(0);
const countsPerName = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.record(z.enum(names), count);

const analyticsRecord = z
  .object({
    department_id: z.string(),
    users: z.object({ total: count, by_role: countsPerName(ROLES) }),
    chatbots: z.object({
      total: count,
      by_status: countsPerName(CHATBOT_STATUSES),
      by_type: countsPerName(CHATBOT_TYPES),
    }),
    activity: z
      .array(
        z.object({
          date: z.string().meta({ format: 'date' }),
          events: count,
          by_action: z.record(z.string(), count),
        }),
      )
      .meta({ description: 'The audit events of the department by UTC day and action' }),
  })
  .meta({
    description: 'The counts',
    examples: [
      {
        department_id: '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52',
        users: { total: 3, by_role: { Owner: 0, Admin: 1, Editor: 2, Viewer: 0, Analyst: 0 } },
        chatbots: {
          total: 2,
          by_status: { active: 1, paused: 1 },
          by_type: { '3d': 2, text: 0, voice: 0 },
        },
        activity: [
          { date: '2026-01-14', events: 3, by_action: { 'chatbot.create': 2, 'member.grant': 1 } },
          { date: '2026-01-15', events: 0, by_action: {} },
        ],
      },
    ],
  });

export const analytics = operation(
  'GET /api/v1/organizations/{organization_id}/departments/{department_id}/analytics',
  {
    needs: 'view analytics',
    summary: 'Read the analytics of a department',
    description:
      'Counts members by role, chatbots by status and type, and what happened in the department by UTC day, today last: its audit events by action, those of bills only with `view billing`. What its members do elsewhere, such as logging in, is not counted.',
    query: strictQuery({ days: positiveInteger(MAX_DAYS, 30) }),
    returns: analyticsRecord,
    async handle({ db, now, params: { organization_id, department_id }, query, request }) {
      const place = { organization_id, department_id };
      const today = now() - (now() % DAY);
      const from = today - (query.days - 1) * DAY;
      const events = { ...visibleEvents(place, viewPermissionsOf(request)), at: { $gte: new Date(from) } };
      const [roles, statuses, types, days] = await Promise.all([
        countBy(db.memberships, { ...place, ...isMember }, '$role'),
        countBy(db.chatbots, place, '$status'),
        countBy(db.chatbots, place, '$type'),
        activityByDay(db, events),
      ]);
      return {
        department_id,
        users: { total: total(roles), by_role: withZeros(ROLES, roles) },
        chatbots: {
          total: total(statuses),
          by_status: withZeros(CHATBOT_STATUSES, statuses),
          by_type: withZeros(CHATBOT_TYPES, types),
        },
        activity: Array.from({ length: query.days }, (_, day) => {
          const at = from + day * DAY;
          const by_action = days.get(at) ?? {};
          const date = new Date(at).toISOString().slice(0, 10);
          return { date, events: sum(Object.values(by_action)), by_action };
        }),
      };
    },
  },
);

/** Counts events by action for each UTC day, whose key is its start in Unix milliseconds. */
async function activityByDay(
  db: Database,
  events: Filter<AuditEvent>,
): Promise<ReadonlyMap<number, Record<string, number>>> {
  const groups = await countBy<{ day: unknown; action: string }, AuditEvent>(
    db.auditEvents,
    events,
    { day: START_OF_DAY, action: '$action' },
    [{ $sort: { '_id.action': 1 } }],
  );
  const days = Map.groupBy(groups, ({ _id }) => Number(_id.day));
  return new Map(
    [...days].map(([day, rows]) => [
      day,
      Object.fromEntries(rows.map(({ _id, count }) => [_id.action, count])),
    ]),
  );
}

const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);

type Counts = readonly { _id: unknown; count: number }[];
const total = (counts: Counts): number => sum(counts.map((each) => each.count));

/** One count for each name, 0 where the database had none. */
const withZeros = <Name extends string>(names: readonly Name[], counts: Counts) =>
  Object.fromEntries(
    names.map((name) => [name, counts.find(({ _id }) => _id === name)?.count ?? 0]),
  ) as Record<Name, number>;
