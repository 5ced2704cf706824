import type { DataSet } from './data-set.ts';
import { auditEvents } from './data-sets/audit.ts';
import { billing } from './data-sets/billing.ts';
import { chatbots } from './data-sets/chatbots.ts';
import { invitations } from './data-sets/invitations.ts';
import { members } from './data-sets/members.ts';
import type { DataSetName } from './records.ts';

export const DATA_SETS: Record<DataSetName, DataSet> = {
  members,
  chatbots,
  audit: auditEvents,
  invitations,
  billing,
};
