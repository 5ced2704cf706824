import { failures, found } from '@gatehouse/shared/http/errors';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requireServiceKey } from '../../access/service-key.ts';
import type { Database } from '../../database.ts';
import { PAYMENT_STATUSES } from '../records.ts';
import { billingRecord } from './billing.ts';

const schema = {
  tags: ['organizations'],
  security: [{ serviceKey: [] }],
  summary: 'Report the payment status of a department',
  description:
    'For the payment service only: members of a department choose its plan but cannot report its payment.',
  params: z.object({ department_id: z.string() }),
  body: jsonBody({ payment_status: oneOf(PAYMENT_STATUSES) }).meta({
    examples: [{ payment_status: 'paid' }],
  }),
  response: {
    200: billingRecord,
    ...failures(
      'catalogue',
      'noAuthorizationHeader',
      'invalidToken',
      'missingField',
      'invalidFormat',
      'notFound',
      'unavailable',
    ),
  },
};

/** PUT /internal/departments/{department_id}/payment-status. */
export const reportPayment: FastifyPluginAsyncZod<{
  config: { INTERNAL_API_KEY?: string | undefined };
  db: Database;
  now: () => number;
}> = async (app, { config, db, now }) => {
  app.put(
    '/internal/departments/:department_id/payment-status',
    { schema, ...requireServiceKey(config) },
    async (request) => {
      const { department_id } = request.params;
      const { billing } = found(
        await db.departments.findOneAndUpdate(
          { department_id },
          {
            $set: {
              'billing.payment_status': request.body.payment_status,
              'billing.updated_at': new Date(now()).toISOString(),
            },
          },
          { returnDocument: 'after' },
        ),
      );
      return { department_id, ...billing };
    },
  );
};
