import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { Database } from '../database.ts';
import { EVENTS } from '../events.ts';
import type { Belonging, WebhookHost } from '../host.ts';
import type { IncomingEvent } from '../intake/accept.ts';
import type { Audience } from '../records.ts';
import { type EventTemplate, type Subject, templatesOf } from './event-templates.ts';

/** Other organizations that receive an event of an account. */
const MAX_ORGANIZATIONS = 100;

const NO_AUDIENCE = { owner_id: null, organization_id: null, department_id: null, chatbot_id: null } as const;

/** The webhook events of an audit event. */
export interface Relayed {
  event_id: string;
  incoming: IncomingEvent[];
  /** Why events that do not fit their schema were left out. A retry would not help. */
  problems: string[];
}

interface RelayOptions {
  db: Database;
  host: Pick<WebhookHost, 'belongingsOf'>;
}

/** Builds the webhook events of a batch of audit events with at most four queries. */
export async function ownEventsOf(
  { db, host }: RelayOptions,
  audited: readonly AuditEvent[],
): Promise<Relayed[]> {
  const batch = audited.map((event) => ({ event, templates: templatesOf(event) }));
  const all = batch.flatMap(({ templates }) => templates);
  const [subjects, belongings] = await Promise.all([subjectsOf(db, all), belongingsOf(host, all)]);
  return batch.map(({ event, templates }) => {
    const relayed: Relayed = { event_id: event.event_id, incoming: [], problems: [] };
    for (const [index, template] of templates.entries()) {
      const subject = subjects.get(template.user_id ?? '');
      // A deleted account has no audience.
      if (template.audience !== 'place' && !subject) continue;
      const unnamed = { user_id: template.user_id ?? '', name: '', email: '' };
      const parsed = EVENTS[template.event].data.safeParse(template.data(subject ?? unnamed));
      if (!parsed.success) {
        relayed.problems.push(`${template.event}: ${parsed.error.message}`);
        continue;
      }
      const incoming = {
        // The same at every attempt, which makes relaying idempotent.
        id: template.id ?? (index === 0 ? event.event_id : `${event.event_id}:${index}`),
        event: template.event,
        audience: audienceOf(event, template, subject, belongings.get(template.user_id ?? '') ?? []),
        timestamp: event.at.toISOString(),
        data: parsed.data,
      };
      relayed.incoming.push(...splitByAudience(incoming, subject && template.redactedForOthers?.(subject)));
    }
    return relayed;
  });
}

function audienceOf(
  { organization_id, department_id, at }: AuditEvent,
  { audience, user_id: owner_id }: EventTemplate,
  subject: Subject | undefined,
  belongings: readonly Belonging[],
): Audience {
  if (audience === 'place') return { owner_id, organization_id, department_id, chatbot_id: null };
  // The organization of the event always knows the address: it provisioned the account.
  const acquainted = belongings.filter(
    ({ email }) => email !== undefined && email === emailKey(subject?.email ?? ''),
  );
  // An organization receives only events from the time of the membership.
  const present = belongings.filter(({ from, until }) => from <= at.getTime() && at.getTime() <= until);
  const receiving = audience === 'account' ? present : acquainted;
  const others = new Set(receiving.map((belonging) => belonging.organization_id));
  if (organization_id) others.delete(organization_id);
  return {
    owner_id,
    organization_id,
    department_id: null,
    chatbot_id: null,
    ...(others.size > 0 && { other_organization_ids: [...others].sort().slice(0, MAX_ORGANIZATIONS) }),
  };
}

/** Makes a second event with the redacted data for the other organizations of the account. */
function splitByAudience(event: IncomingEvent, redacted: object | undefined): IncomingEvent[] {
  const { other_organization_ids, ...audience } = event.audience;
  if (!redacted || !other_organization_ids) return [event];
  const others = { ...NO_AUDIENCE, other_organization_ids };
  return [
    { ...event, audience },
    { ...event, id: `${event.id}:elsewhere`, audience: others, data: redacted },
  ];
}

async function subjectsOf(
  db: Database,
  templates: readonly EventTemplate[],
): Promise<ReadonlyMap<string, Subject>> {
  const ids = accountIds(templates);
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

/** The memberships of the accounts whose events also go to their other organizations. */
async function belongingsOf(
  host: RelayOptions['host'],
  templates: readonly EventTemplate[],
): Promise<ReadonlyMap<string, Belonging[]>> {
  const ids = accountIds(templates.filter(({ audience }) => audience !== 'place'));
  const belongings = await host.belongingsOf(ids);
  return Map.groupBy(belongings, ({ user_id }) => user_id);
}

const accountIds = (templates: readonly EventTemplate[]): string[] => [
  ...new Set(templates.map(({ user_id }) => user_id).filter((user_id) => user_id !== null)),
];
