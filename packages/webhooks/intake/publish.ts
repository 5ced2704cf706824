import { AppError } from '@gatehouse/shared/http/errors';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import { z } from 'zod';
import type { WebhookDependencies } from '../dependencies.ts';
import { type PublishedEvent, publishedEvent } from '../events.ts';
import type { WebhookHost } from '../host.ts';
import type { Audience } from '../records.ts';
import { uniqueIds } from './fan-out.ts';

/** For one call. */
const MAX_EVENTS = 500;
/** Enough for `MAX_EVENTS` of the longest events. */
const MAX_BYTES = 8 * 1024 * 1024;

const example: PublishedEvent = {
  id: 'conv-started_8421',
  event: 'conversation.started',
  owner_id: 'User-483920',
  timestamp: '2026-01-15T09:30:00.000Z',
  data: {
    conversation_id: 'conv-8421',
    chatbot_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
    user_id: 'visitor-77',
    started_at: '2026-01-15T09:30:00.000Z',
  },
};

/** Only for services of the platform: the gateway does not forward this path (CONTRACT.md §Publishing events). */
export const publishEvents = operationsOf<Pick<WebhookDependencies, 'accept' | 'db' | 'host' | 'now'>>()(
  'POST /internal/events',
  {
    needs: 'service key',
    summary: 'Publish events',
    description: `Publishes one event or an array of up to ${MAX_EVENTS}. Responds once the events and their deliveries are stored. Webhooks of an organization or department receive the events of its chatbots, and the events without a stored chatbot that name it. An id accepted before is known and has no further effect, so a publisher that got no response can send again. A conflict does not affect the other events of the array.`,
    body: z
      .preprocess(
        (body) => (Array.isArray(body) || body === null ? body : [body]),
        z
          .array(publishedEvent, { error: 'must be an event or an array of events' })
          .min(1, { error: 'must contain at least one event' })
          .max(MAX_EVENTS, { error: `must contain at most ${MAX_EVENTS} events` }),
      )
      .meta({ examples: [example, [example]] }),
    bodyLimit: MAX_BYTES,
    returns: z.object({ accepted: z.array(z.string()), known: z.array(z.string()) }).meta({
      description: 'The ids of new events and of those accepted before',
      examples: [{ accepted: [example.id], known: [] }],
    }),
    fails: ['duplicate'],
    async handle({ host, accept, body }) {
      const audiences = await audiencesOf(host, body);
      const results = await Promise.all(
        body.map(async ({ id, event, timestamp, data }, index) => {
          const audience = audiences[index] as Audience;
          return { id, acceptance: await accept({ id, event, audience, timestamp, data }) };
        }),
      );
      const groups = Object.groupBy(results, ({ acceptance }) => acceptance);
      const idsOf = (group: keyof typeof groups) => (groups[group] ?? []).map(({ id }) => id);
      if (groups.conflict) {
        const text = `Another event has the id ${idsOf('conflict').join(', ')}`;
        throw new AppError('duplicate', { text });
      }
      return { accepted: idsOf('accepted'), known: idsOf('known') };
    },
  },
);

/**
 * Returns who receives published events. The tenant of an event is that of its chatbot or, if the chatbot is not stored
 * here, the one that the event names: a publisher cannot send events of a chatbot to another tenant.
 * @throws {AppError} invalidFormat if a department is not in the organization that is named with it.
 */
async function audiencesOf(host: WebhookHost, events: readonly PublishedEvent[]): Promise<Audience[]> {
  const { departments, chatbots } = await host.tenantsOf({
    departments: uniqueIds(events.map(({ department_id }) => department_id)),
    chatbots: uniqueIds(events.map(chatbotOf)),
  });
  return events.map((event, index) => {
    const { owner_id, organization_id = null, department_id } = event;
    const chatbot_id = chatbotOf(event);
    const department = departments.get(department_id ?? '');
    if (department && organization_id !== null && department.organization_id !== organization_id) {
      const text = `${index}.department_id must be a department of the organization`;
      throw new AppError('invalidFormat', { text });
    }
    const chatbot = chatbots.get(chatbot_id ?? '');
    if (chatbot) return { owner_id, ...chatbot, chatbot_id };
    if (department_id === undefined) return { owner_id, organization_id, department_id: null, chatbot_id };
    // A deleted department receives nothing, and must not block the other events of the publisher.
    return { owner_id, ...(department ?? NO_TENANT), chatbot_id };
  });
}

const NO_TENANT = { organization_id: null, department_id: null };

const chatbotOf = ({ data }: PublishedEvent): string | null =>
  'chatbot_id' in data ? data.chatbot_id : null;
