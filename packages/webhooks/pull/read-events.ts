import { AppError } from '@gatehouse/shared/http/errors';
import { openEnum } from '@gatehouse/shared/http/fields';
import { positiveInteger } from '@gatehouse/shared/operation/lists';
import type { Filter } from 'mongodb';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { EVENT_NAMES } from '../events.ts';
import { endOf, IS_EVENT } from '../intake/event-log.ts';
import type { StoredEvent } from '../records.ts';

/** Shared by the two lists of events (CONTRACT.md §Pulling events). */

const MAX_LIMIT = 500;
const CURSOR_ERROR = 'must be a cursor that this list has returned';

export const pullParameters = {
  after: z
    .string()
    .regex(/^\d{1,15}$/, { error: CURSOR_ERROR })
    .optional()
    .meta({
      description: '`next_after` of the previous page; without it, the list begins with the oldest event',
    }),
  limit: positiveInteger(MAX_LIMIT, 100),
};

export const pulledEvent = z.object({
  id: z.string().meta({ description: 'Sent to receivers as `webhook-id`' }),
  event: openEnum(EVENT_NAMES),
  timestamp: z.string().meta({ format: 'date-time' }),
  data: z.record(z.string(), z.unknown()).meta({ description: 'As the schema of the event describes it' }),
  department_id: z.string().nullable().meta({ description: 'The department that it concerns' }),
});

export const PULLED_EXAMPLE = {
  id: 'conv-started_8421',
  event: 'conversation.started' as const,
  timestamp: '2026-01-15T09:30:00.000Z',
  data: {
    conversation_id: 'conv-8421',
    chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
    user_id: 'visitor-77',
    started_at: '2026-01-15T09:30:00.000Z',
  },
  department_id: null,
};

export const pulledPage = <Item extends z.ZodType>(item: Item, example: z.input<Item>) =>
  z
    .object({
      data: z.array(item),
      next_after: z.string().nullable().meta({
        description: 'The cursor of the next page, also for later calls; null before the first event',
      }),
      has_more: z.boolean().meta({ description: 'Whether there are more events now' }),
    })
    .meta({
      description: 'The events after the cursor, in order',
      examples: [{ data: [example], next_after: '4711', has_more: false }],
    });

/**
 * Reads the events after a cursor, in order. Continuing with the cursor of each page misses no event.
 * @throws {AppError} invalidFormat for a cursor beyond the last event, such as one from before a backup was restored.
 */
export async function readEvents(
  db: Database,
  visible: Filter<StoredEvent>,
  { after, limit }: { after?: string | undefined; limit: number },
) {
  // First: later events have positions at the end or above.
  const end = await endOf(db);
  const seen = Number(after ?? 0);
  if (seen > 0 && seen >= end) throw new AppError('invalidFormat', { text: `after ${CURSOR_ERROR}` });
  const found = await db.events
    .find({ ...visible, ...IS_EVENT, position: { $gt: seen, $lt: end } })
    .sort({ position: 1 })
    .limit(limit + 1)
    .toArray();
  const events = found.slice(0, limit);
  return {
    events,
    next_after: events.at(-1)?.position?.toString() ?? after ?? null,
    has_more: found.length > limit,
  };
}

/** The envelope of a delivery, with the id that its headers carry. */
export const presentPulled = ({ _id, event, payload, department_id }: StoredEvent) => {
  const { timestamp, data } = JSON.parse(payload);
  return { id: _id, event, timestamp, data, department_id };
};
