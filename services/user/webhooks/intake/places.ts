import { AppError } from '@gatehouse/shared/http/errors';
import { PERSONAL } from '../../chatbots/records.ts';
import type { Database } from '../../database.ts';
import type { PublishedEvent } from '../events.ts';
import { type Audience, placeOf } from '../records.ts';

/**
 * Who hears published events. The place of an event is that of its chatbot or, without a chatbot that is stored here,
 * the one that it names. A publisher cannot make a place hear the chatbots of another one, or of a person. All events
 * of a call take one read for the chatbots and one for the departments that they name.
 * @throws {AppError} invalidFormat if a department belongs to another organization than the one that is named with it.
 */
export async function audiencesOf(db: Database, events: readonly PublishedEvent[]): Promise<Audience[]> {
  const projection = { _id: 0, chatbot_id: 1, organization_id: 1, department_id: 1 } as const;
  const [departments, chatbots] = await Promise.all([
    read(
      events.map(({ department_id }) => department_id),
      (ids) => db.departments.find({ department_id: { $in: ids } }, { projection }).toArray(),
    ),
    read(events.map(chatbotOf), (ids) =>
      db.chatbots.find({ chatbot_id: { $in: ids } }, { projection }).toArray(),
    ),
  ]);
  const departmentById = new Map(departments.map((each) => [each.department_id, each]));
  const chatbotById = new Map(chatbots.map((each) => [each.chatbot_id, each]));
  return events.map((event, index) => {
    const { owner_id, organization_id = null, department_id } = event;
    const chatbot_id = chatbotOf(event);
    const department = departmentById.get(department_id ?? '');
    if (department && organization_id !== null && department.organization_id !== organization_id) {
      const text = `${index}.department_id must be a department of the organization`;
      throw new AppError('invalidFormat', { text });
    }
    const chatbot = chatbotById.get(chatbot_id ?? '');
    if (chatbot) return { owner_id, ...placeOf(chatbot), chatbot_id };
    if (department_id === undefined) return { owner_id, organization_id, department_id: null, chatbot_id };
    // Nobody hears for a department that is deleted. That must not keep the publisher's other events back.
    return { owner_id, ...(department ? placeOf(department) : PERSONAL), chatbot_id };
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
