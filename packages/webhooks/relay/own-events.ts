import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { Database } from '../database.ts';
import { EVENTS } from '../events.ts';
import type { Belonging, WebhookHost } from '../host.ts';
import type { IncomingEvent } from '../intake/accept.ts';
import type { Audience } from '../records.ts';
import { type Draft, draftsOf, type Person } from './drafts.ts';

/** Organizations that hear the events of one account. */
const MAX_ORGANIZATIONS = 100;

const NOBODY = { owner_id: null, organization_id: null, department_id: null, chatbot_id: null } as const;

/** An audit event and the events of webhooks that it means. */
export interface Relayed {
  event_id: string;
  incoming: IncomingEvent[];
  /** Why an event was left out: it does not fit its schema. Trying again would not help. */
  problems: string[];
}

interface RelayOptions {
  db: Database;
  host: Pick<WebhookHost, 'belongingsOf'>;
}

/** Builds the events of a batch with at most four queries. */
export async function ownEventsOf(
  { db, host }: RelayOptions,
  audited: readonly AuditEvent[],
): Promise<Relayed[]> {
  const drafts = audited.map((event) => ({ event, drafts: draftsOf(event) }));
  const all = drafts.flatMap((each) => each.drafts);
  const [people, organizations] = await Promise.all([peopleOf(db, all), organizationsOf(host, all)]);
  return drafts.map(({ event, drafts }) => {
    const relayed: Relayed = { event_id: event.event_id, incoming: [], problems: [] };
    for (const [index, draft] of drafts.entries()) {
      const person = people.get(draft.user_id ?? '');
      // Nobody hears of an account that is gone.
      if (draft.audience !== 'place' && !person) continue;
      const unnamed = { user_id: draft.user_id ?? '', name: '', email: '' };
      const parsed = EVENTS[draft.event].data.safeParse(draft.data(person ?? unnamed));
      if (!parsed.success) {
        relayed.problems.push(`${draft.event}: ${parsed.error.message}`);
        continue;
      }
      const incoming = {
        // The same at every attempt, so that relaying twice has no effect.
        id: draft.id ?? (index === 0 ? event.event_id : `${event.event_id}:${index}`),
        event: draft.event,
        audience: audienceOf(event, draft, person, organizations.get(draft.user_id ?? '') ?? []),
        timestamp: event.at.toISOString(),
        data: parsed.data,
      };
      relayed.incoming.push(...apart(incoming, person && draft.elsewhere?.(person)));
    }
    return relayed;
  });
}

function audienceOf(
  { organization_id, department_id, at }: AuditEvent,
  { audience, user_id: owner_id }: Draft,
  person: Person | undefined,
  places: readonly Belonging[],
): Audience {
  if (audience === 'place') return { owner_id, organization_id, department_id, chatbot_id: null };
  // The organization of the event provisioned the account: it has verified the domain of its address.
  const acquainted = places.filter(
    ({ email }) => email !== undefined && email === emailKey(person?.email ?? ''),
  );
  // An organization hears only what its members did while they were members.
  const present = places.filter(({ from, until }) => from <= at.getTime() && at.getTime() <= until);
  const heard = audience === 'account' ? present : acquainted;
  const others = new Set(heard.map((place) => place.organization_id));
  if (organization_id) others.delete(organization_id);
  return {
    owner_id,
    organization_id,
    department_id: null,
    chatbot_id: null,
    ...(others.size > 0 && { other_organization_ids: [...others].sort().slice(0, MAX_ORGANIZATIONS) }),
  };
}

/** Splits an event whose data only the account and the organization of the event may know. */
function apart(event: IncomingEvent, elsewhere: object | undefined): IncomingEvent[] {
  const { other_organization_ids, ...audience } = event.audience;
  if (!elsewhere || !other_organization_ids) return [event];
  const others = { ...NOBODY, other_organization_ids };
  return [
    { ...event, audience },
    { ...event, id: `${event.id}:elsewhere`, audience: others, data: elsewhere },
  ];
}

async function peopleOf(db: Database, drafts: readonly Draft[]): Promise<ReadonlyMap<string, Person>> {
  const ids = subjects(drafts);
  if (ids.length === 0) return new Map();
  const users = await db.users
    .find({ user_id: { $in: ids } }, { projection: { _id: 0, user_id: 1, name: 1, email: 1 } })
    .toArray();
  return new Map(
    users.map(({ user_id, name, email }) => [
      String(user_id),
      { user_id: String(user_id), name: String(name ?? ''), email },
    ]),
  );
}

/** The organizations of the accounts whose events every one of their organizations hears. */
async function organizationsOf(
  host: RelayOptions['host'],
  drafts: readonly Draft[],
): Promise<ReadonlyMap<string, Belonging[]>> {
  const ids = subjects(drafts.filter(({ audience }) => audience !== 'place'));
  const belongings = await host.belongingsOf(ids);
  return Map.groupBy(belongings, ({ user_id }) => user_id);
}

const subjects = (drafts: readonly Draft[]): string[] => [
  ...new Set(drafts.map(({ user_id }) => user_id).filter((user_id) => user_id !== null)),
];
