import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { Filter } from 'mongodb';

/** The audit events that each metric counts, as a filter. */
export const METRICS = {
  events: {},
  members_added: {
    $or: [
      { action: 'member.grant', before: null },
      // An accepted offer to become an Owner names no department.
      { action: 'invitation.accept', department_id: { $ne: null } },
    ],
  },
  members_removed: { action: 'member.remove' },
  chatbots_created: { action: { $in: ['chatbot.create', 'chatbot.duplicate'] } },
  chatbots_deleted: { action: 'chatbot.delete' },
} as const satisfies Record<string, Filter<AuditEvent>>;

export type Metric = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as [Metric, ...Metric[]];
