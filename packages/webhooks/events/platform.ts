import { CHATBOT_TYPES } from '@gatehouse/shared/contract/chatbot-types';
import { expecting, isoDateTime, line, oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { define, fields } from './definition.ts';

/** The events that services of the platform publish (CONTRACT.md §Publishing events). */

const id = line(200);
/** In the smallest unit of the currency, for example cents. */
const amount = z.int(expecting('must be an integer')).min(0, { error: 'must be 0 or more' });
const currency = z
  .string(expecting('must be a string'))
  .regex(/^[A-Z]{3}$/, { error: 'must be a currency such as EUR (ISO 4217)' });

const conversation = { conversation_id: id, chatbot_id: id, user_id: id, started_at: isoDateTime };
const payment = { payment_id: id, user_id: id, subscription_id: id, amount, currency };

const CONVERSATION = {
  conversation_id: 'conv-8421',
  chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
  user_id: 'visitor-77',
  started_at: '2026-01-15T09:30:00.000Z',
};
const PAYMENT = {
  payment_id: 'pay-5510',
  user_id: 'User-483920',
  subscription_id: 'sub-2201',
  amount: 2_900,
  currency: 'EUR',
};

export const PLATFORM_EVENTS = {
  'chatbot.created': define({
    version: 1,
    summary: 'A chatbot was created',
    data: fields({
      chatbot_id: id,
      user_id: id,
      name: id,
      type: oneOf(CHATBOT_TYPES),
      language: id,
      created_at: isoDateTime,
    }),
    example: {
      chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
      user_id: 'User-483920',
      name: 'Receptionist',
      type: '3d',
      language: 'en-GB',
      created_at: '2026-01-15T09:30:00.000Z',
    },
  }),
  'conversation.started': define({
    version: 1,
    summary: 'A visitor started a conversation',
    data: fields(conversation),
    example: CONVERSATION,
  }),
  'conversation.ended': define({
    version: 1,
    summary: 'A conversation ended',
    data: fields({ ...conversation, ended_at: isoDateTime }),
    example: { ...CONVERSATION, ended_at: '2026-01-15T09:42:10.000Z' },
  }),
  'payment.succeeded': define({
    version: 1,
    summary: 'A payment for a subscription succeeded',
    data: fields({ ...payment, paid_at: isoDateTime }),
    example: { ...PAYMENT, paid_at: '2026-01-15T09:30:00.000Z' },
  }),
  'payment.failed': define({
    version: 1,
    summary: 'A payment for a subscription failed',
    data: fields({ ...payment, reason: id, failed_at: isoDateTime }),
    example: { ...PAYMENT, reason: 'card_declined', failed_at: '2026-01-15T09:30:00.000Z' },
  }),
  'subscription.cancelled': define({
    version: 1,
    summary: 'A subscription was cancelled',
    data: fields({
      subscription_id: id,
      user_id: id,
      plan: id,
      cancelled_at: isoDateTime,
      ends_at: isoDateTime,
    }),
    example: {
      subscription_id: 'sub-2201',
      user_id: 'User-483920',
      plan: 'Business',
      cancelled_at: '2026-01-15T09:30:00.000Z',
      ends_at: '2026-02-01T00:00:00.000Z',
    },
  }),
} as const;
