import { AppError } from '@gatehouse/shared/http/errors';
import type { PublishedEvent } from '../events.ts';
import type { WebhookHost } from '../host.ts';
import type { Audience } from '../records.ts';
import { uniqueIds } from './fan-out.ts';

const NO_TENANT = { organization_id: null, department_id: null };

/**
 * Who hears published events. The place of an event is that of its chatbot or, without a chatbot that is stored here,
 * the one that it names. A publisher cannot make a place hear the chatbots of another one, or of a person. All events
 * of a call take one read for the chatbots and one for the departments that they name.
 * @throws {AppError} invalidFormat if a department belongs to another organization than the one that is named with it.
 */
export async function audiencesOf(host: WebhookHost, events: readonly PublishedEvent[]): Promise<Audience[]> {
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
    // Nobody hears for a department that is deleted. That must not keep the publisher's other events back.
    return { owner_id, ...(department ?? NO_TENANT), chatbot_id };
  });
}

const chatbotOf = ({ data }: PublishedEvent): string | null =>
  'chatbot_id' in data ? data.chatbot_id : null;
