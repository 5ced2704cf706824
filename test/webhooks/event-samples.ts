import type { PlatformEventName, PublishedEvent } from '../../packages/webhooks/events.ts';

const CONVERSATION = {
  conversation_id: 'conv-1',
  chatbot_id: 'bot-1',
  user_id: 'visitor-1',
  started_at: '2026-01-15T09:30:00.000Z',
};

let events = 0;

/** A new event `conversation.started`. */
export function conversation(owner_id: string, fields: object = {}): PublishedEvent {
  events += 1;
  return {
    id: `evt_${events}`,
    event: 'conversation.started',
    owner_id,
    timestamp: '2026-01-15T09:30:01.000Z',
    data: { ...CONVERSATION, conversation_id: `conv-${events}` },
    ...fields,
  };
}

const payment = {
  payment_id: 'pay-1',
  user_id: 'User-100001',
  subscription_id: 'sub-1',
  amount: 2_900,
  currency: 'EUR',
};

/** Valid `data` for each event of the platform. */
export const DATA: Record<PlatformEventName, Record<string, unknown>> = {
  'chatbot.created': {
    chatbot_id: 'bot-1',
    user_id: 'User-100001',
    name: 'Receptionist',
    type: '3d',
    language: 'en-GB',
    created_at: '2026-01-15T09:30:00.000Z',
  },
  'conversation.started': CONVERSATION,
  'conversation.ended': { ...CONVERSATION, ended_at: '2026-01-15T09:40:00+01:00' },
  'payment.succeeded': { ...payment, paid_at: '2026-01-15T09:30:00Z' },
  'payment.failed': { ...payment, reason: 'card_declined', failed_at: '2026-01-15T09:30:00Z' },
  'subscription.cancelled': {
    subscription_id: 'sub-1',
    user_id: 'User-100001',
    plan: 'Business',
    cancelled_at: '2026-01-15T09:30:00Z',
    ends_at: '2026-02-01T00:00:00Z',
  },
};
