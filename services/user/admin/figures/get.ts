import { AppError } from '@gatehouse/shared/http/errors';
import { isoDateTime, oneOf } from '@gatehouse/shared/http/fields';
import { strictQuery } from '@gatehouse/shared/operation/lists';
import { z } from 'zod';
import { AT } from '../../organizations/contract.ts';
import { operation } from '../operation.ts';
import { readFigures, UNITS, type Unit } from './read.ts';
import { KEPT_DAYS } from './records.ts';

const DAY = UNITS.day;
/** Days of one answer, and days by default. */
const MAX = { hour: 31, day: KEPT_DAYS } as const satisfies Record<Unit, number>;
const DEFAULT = { hour: 1, day: 30 } as const satisfies Record<Unit, number>;

const dateTime = z.string().meta({ format: 'date-time' });

const EXAMPLE = {
  at: AT,
  signups: 12,
  verifications: 11,
  logins: 340,
  refused_logins: 9,
  refused_for: { 'Invalid credentials': 9 },
  codes_mailed: 15,
  notices_mailed: 4,
  mails_failed: 0,
  webhook_deliveries: 1_204,
  webhook_failures: 3,
  account_deletions: 1,
};

const figures = z.object({
  at: dateTime.meta({ description: 'When the hour or the UTC day began' }),
  signups: z.int(),
  verifications: z.int(),
  logins: z.int().meta({ description: 'With single sign-on' }),
  refused_logins: z.int().meta({ description: 'Without those that were not stored, see Audit' }),
  refused_for: z.record(z.string(), z.int()).meta({ description: 'By reason' }),
  codes_mailed: z.int(),
  notices_mailed: z.int().meta({ description: 'All other mails' }),
  mails_failed: z.int(),
  webhook_deliveries: z.int(),
  webhook_failures: z.int().meta({ description: 'Attempts that failed' }),
  account_deletions: z.int(),
});

export const getFigures = operation('GET /api/v1/admin/figures', {
  needs: 'support operator',
  byKey: true,
  summary: 'Read the figures of the deployment',
  description: `Counts by hour (of up to ${MAX.hour} days, by default the last one) or by UTC day (of up to ${MAX.day} days, by default the last ${DEFAULT.day}). A part of an hour counts as the whole hour, a part of a day as the day. Figures are up to two minutes late, and those of mails and webhooks lose ten seconds when a process is killed.`,
  query: strictQuery({
    by: oneOf(['hour', 'day']).default('hour'),
    from: isoDateTime.optional(),
    to: isoDateTime.optional().meta({ description: 'By default now' }),
  }),
  returns: z
    .object({
      by: z.enum(['hour', 'day']),
      from: dateTime,
      to: dateTime,
      counted_until: dateTime.nullable().meta({
        description: 'Audit events before this time are counted; null before the first count',
      }),
      data: z.array(figures),
    })
    .meta({
      description: 'The figures, oldest first, with zeros where nothing happened',
      examples: [
        { by: 'hour', from: AT, to: '2026-01-15T10:30:00.000Z', counted_until: AT, data: [EXAMPLE] },
      ],
    }),
  async handle({ db, now, query: { by, from: given, to: end } }) {
    const to = end === undefined ? now() : Date.parse(end);
    const from = given === undefined ? to - DEFAULT[by] * DAY : Date.parse(given);
    if (from >= to) throw new AppError('invalidFormat', { text: 'from must be before to' });
    if (to - from > MAX[by] * DAY)
      throw new AppError('invalidFormat', { text: `from and to must be at most ${MAX[by]} days apart` });
    const size = UNITS[by];
    const period = { from: Math.floor(from / size) * size, to: Math.ceil(to / size) * size };
    const counted = await readFigures(db, by, period);
    return {
      by,
      from: new Date(period.from).toISOString(),
      to: new Date(period.to).toISOString(),
      ...counted,
    };
  },
});
