import type { Webhook } from '@gatehouse/webhooks/records';

/** A webhook as the database stores it: paused, with an empty queue, and without an owner unless `fields` name one. */
export const storedWebhook = (fields: Pick<Webhook, 'webhook_id'> & Partial<Webhook>): Webhook => ({
  owner_id: null,
  slot: fields.webhook_id,
  url: 'https://app.example.com/',
  events: ['conversation.started'],
  status: 'paused',
  secret: '',
  previous_secrets: [],
  created_at: new Date(0),
  updated_at: new Date(0),
  due_at: null,
  lease: null,
  held_until: null,
  wakes: 0,
  ...fields,
});
