import { AppError } from '@gatehouse/shared/http/errors';
import { PERSONAL, placeOf } from '../../chatbots/records.ts';
import type { Database } from '../../database.ts';
import type { PublishedEvent } from '../events.ts';
import type { Audience } from '../records.ts';

/**
 * Who hears published events. The place of an event is the one that it names, or else that of its chatbot. All events
 * of a call take one read for the chatbots and one for the departments that they name.
 * @throws {AppError} invalidFormat if a department belongs to another organization than the one that is named with it.
 */
export async function audiencesOf(db: Database, events: readonly PublishedEvent[]): Promise<Audience[]> {
  const named = events.map(({ department_id }) => department_id);
  const unplaced = events.filter(({ organization_id, department_id }) => !organization_id && !department_id);
  const [departments, chatbots] = await Promise.all([
    read(named, (ids) =>
      db.departments
        .find(
          { department_id: { $in: ids } },
          { projection: { _id: 0, organization_id: 1, department_id: 1 } },
        )
        .toArray(),
    ),
    read(unplaced.map(chatbotOf), (ids) =>
      db.chatbots
        .find(
          { chatbot_id: { $in: ids } },
          { projection: { _id: 0, chatbot_id: 1, organization_id: 1, department_id: 1 } },
        )
        .toArray(),
    ),
  ]);
  const departmentById = new Map(departments.map((each) => [each.department_id, each]));
  const chatbotById = new Map(chatbots.map((each) => [each.chatbot_id, each]));
  return events.map((event, index) => {
    const { owner_id, organization_id, department_id } = event;
    const chatbot_id = chatbotOf(event);
    if (department_id === undefined && organization_id === undefined) {
      const chatbot = chatbotById.get(chatbot_id ?? '');
      return { owner_id, ...(chatbot ? placeOf(chatbot) : PERSONAL), chatbot_id };
    }
    const department = departmentById.get(department_id ?? '');
    if (department && organization_id !== undefined && department.organization_id !== organization_id) {
      const text = `${index}.department_id must be a department of the organization`;
      throw new AppError('invalidFormat', { text });
    }
    // Nobody hears for a department that is deleted. That must not keep the publisher's other events back.
    if (department_id !== undefined) return { owner_id, ...(department ?? PERSONAL), chatbot_id };
    return { owner_id, organization_id: organization_id ?? null, department_id: null, chatbot_id };
  });
}

const chatbotOf = ({ data }: PublishedEvent): string | null =>
  'chatbot_id' in data ? data.chatbot_id : null;

/** Reads what the ids name, without a query if there is none. */
async function read<Found>(
  given: readonly (string | null | undefined)[],
  find: (ids: string[]) => Promise<Found[]>,
): Promise<Found[]> {
  const ids = [...new Set(given)].filter((id) => typeof id === 'string');
  return ids.length === 0 ? [] : find(ids);
}
