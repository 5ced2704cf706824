import { ROLES } from '@gatehouse/shared/access/rbac';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Collection, Document, Filter } from 'mongodb';
import { z } from 'zod';
import { CHATBOT_STATUSES, CHATBOT_TYPES } from '../../chatbots/records.ts';
import type { Database } from '../../database.ts';
import { positiveInteger, strictQuery } from '../../lists.ts';
import { departmentPath, refusals, tagged } from '../contract.ts';
import { isMember } from '../members/present-member.ts';

const config = { permission: 'view analytics' } as const;

const DAY = 86_400_000;
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
    logins: z.array(z.object({ date: z.string().meta({ format: 'date' }), logins: count })),
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
        logins: [
          { date: '2026-01-14', logins: 5 },
          { date: '2026-01-15', logins: 2 },
        ],
      },
    ],
  });

const schema = {
  ...tagged,
  summary: 'Read the analytics of a department',
  description:
    'Counts members by role, chatbots by status and type, and logins by UTC day, today last. A member’s logins count from when they joined.',
  params: departmentPath,
  querystring: strictQuery({ days: positiveInteger(MAX_DAYS, 30) }),
  response: { 200: analyticsRecord, ...refusals },
};

/** GET /api/v1/organizations/{organization_id}/departments/{department_id}/analytics. */
export const analytics: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.get(
    '/api/v1/organizations/:organization_id/departments/:department_id/analytics',
    { schema, config },
    async (request) => {
      const { organization_id, department_id } = request.params;
      const place = { organization_id, department_id };
      const members = await db.memberships
        .find({ ...place, ...isMember }, { projection: { user_id: 1, joined_at: 1 } })
        .toArray();
      const today = now() - (now() % DAY);
      const from = new Date(today - (request.query.days - 1) * DAY);
      // Logins from before a member joined are private to them.
      const { newer = [], older = [] } = Object.groupBy(members, ({ joined_at = from }) =>
        joined_at > from ? 'newer' : 'older',
      );
      const logins: Filter<AuditEvent> = {
        action: 'login',
        outcome: 'success',
        $or: [
          { user_id: { $in: older.map(({ user_id = '' }) => user_id) }, at: { $gte: from } },
          ...newer.map(({ user_id = '', joined_at = from }) => ({ user_id, at: { $gte: joined_at } })),
        ],
      };
      const [roles, statuses, types, days] = await Promise.all([
        countBy(db.memberships, { ...place, ...isMember }, '$role'),
        countBy(db.chatbots, place, '$status'),
        countBy(db.chatbots, place, '$type'),
        countBy(db.auditEvents, logins, startOfDay('$at')),
      ]);
      const total = [...statuses.values()].reduce((sum, each) => sum + each, 0);
      return {
        department_id,
        users: { total: members.length, by_role: withZeros(ROLES, roles) },
        chatbots: {
          total,
          by_status: withZeros(CHATBOT_STATUSES, statuses),
          by_type: withZeros(CHATBOT_TYPES, types),
        },
        logins: Array.from({ length: request.query.days }, (_, day) => {
          const at = from.getTime() + day * DAY;
          return { date: new Date(at).toISOString().slice(0, 10), logins: days.get(String(at)) ?? 0 };
        }),
      };
    },
  );
};

/** An expression for the start of a date's UTC day, in Unix milliseconds. */
const startOfDay = (date: string) => ({ $subtract: [{ $toLong: date }, { $mod: [{ $toLong: date }, DAY] }] });

/** Counts the documents that match a filter by the value of an expression. */
async function countBy<Item extends Document>(
  collection: Collection<Item>,
  filter: Filter<Item>,
  expression: unknown,
): Promise<Map<string, number>> {
  const groups = await collection
    .aggregate<{ _id: unknown; count: number }>([
      { $match: filter },
      { $group: { _id: expression, count: { $sum: 1 } } },
    ])
    .toArray();
  return new Map(groups.map(({ _id, count }) => [String(_id), count]));
}

/** One count for each name, 0 where the database had none. */
const withZeros = <Name extends string>(names: readonly Name[], counts: Map<string, number>) =>
  Object.fromEntries(names.map((name) => [name, counts.get(name) ?? 0])) as Record<Name, number>;
