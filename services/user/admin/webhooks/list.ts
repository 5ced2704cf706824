import { TIME_LIMIT } from '@gatehouse/shared/data/time-limit';
import { line, oneOf } from '@gatehouse/shared/http/fields';
import { listQuery, pageResponse, paginationOf } from '@gatehouse/shared/operation/lists';
import { readTroubled, TROUBLED, TROUBLED_SINCE, TROUBLES } from '@gatehouse/webhooks/troubled';
import type { Document } from 'mongodb';
import { z } from 'zod';
import { AT } from '../../organizations/contract.ts';
import { operation } from '../operation.ts';

/** A longer list is not counted to its end. */
const MAX_COUNT = 10_000;

const dateTime = z.string().meta({ format: 'date-time' });

const troubledWebhook = z
  .object({
    webhook_id: z.string(),
    owner_id: z.string().nullable(),
    organization_id: z.string().nullable(),
    department_id: z.string().nullable(),
    name: z.string().nullable(),
    origin: z.string().meta({ description: 'The URL without its path, which may hold a key' }),
    status: z.enum(['active', 'paused', 'disabled']),
    failing_since: dateTime.nullable(),
    disabled_at: dateTime.nullable(),
    disabled_reason: z.enum(['gone', 'failing']).nullable(),
    consecutive_failures: z.int(),
    backlog: z.int().meta({ description: 'Pending deliveries, counted up to 100,000' }),
    oldest_pending_at: dateTime.nullable(),
    last_error: z
      .object({ at: dateTime, status: z.int().nullable(), error: z.string().nullable() })
      .nullable()
      .meta({ description: 'The latest failed attempt that is known; its body is not shown' }),
  })
  .meta({
    description: 'The webhook',
    examples: [
      {
        webhook_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        owner_id: 'User-483920',
        organization_id: null,
        department_id: null,
        name: 'Orders',
        origin: 'https://app.example.com',
        status: 'active',
        failing_since: AT,
        disabled_at: null,
        disabled_reason: null,
        consecutive_failures: 17,
        backlog: 240,
        oldest_pending_at: AT,
        last_error: { at: AT, status: 503, error: null },
      },
    ],
  });

export const listWebhooks = operation('GET /api/v1/admin/webhooks', {
  needs: 'support operator',
  byKey: true,
  summary: 'List webhooks that fail or are disabled',
  description:
    'Lists the webhooks of everybody whose every attempt fails (`failing`, the default) or that were disabled (`disabled`): the one in trouble for longest first, or last with `order=desc`. No secret, path, header or body is shown. `search` is not used.',
  query: listQuery({ sortable: ['since'], filters: {} })
    .omit({ search: true })
    .extend({
      state: oneOf(TROUBLES).default('failing'),
      order: oneOf(['asc', 'desc']).default('asc'),
      organization_id: line(200).optional(),
      owner_id: line(200).optional(),
    }),
  returns: pageResponse(troubledWebhook),
  async handle({ db, now, query }) {
    const { state, page, limit, order, organization_id, owner_id } = query;
    const filter: Document = {
      ...TROUBLED[state],
      ...(organization_id !== undefined && { organization_id }),
      ...(owner_id !== undefined && { owner_id }),
    };
    const direction = order === 'asc' ? 1 : -1;
    const [webhooks, total] = await Promise.all([
      db.webhooks
        .find(filter, {
          sort: { [TROUBLED_SINCE[state]]: direction, webhook_id: direction },
          skip: (page - 1) * limit,
          limit,
          ...TIME_LIMIT,
        })
        .toArray(),
      db.webhooks.countDocuments(filter, { limit: Math.max(MAX_COUNT, page * limit + 1), ...TIME_LIMIT }),
    ]);
    const data = await Promise.all(
      webhooks.map(async (webhook) => {
        const { origin, health, last_error } = await readTroubled(db, webhook, now());
        const { webhook_id, owner_id, organization_id = null, department_id = null, name = null } = webhook;
        return { webhook_id, owner_id, organization_id, department_id, name, origin, ...health, last_error };
      }),
    );
    return { data, pagination: paginationOf(total, { page, limit }) };
  },
});
