import { line, oneOf } from '@gatehouse/shared/http/fields';
import { listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { operation } from '../operation.ts';
import { approvalRecord, presentApproval } from './contract.ts';
import { ACT_NAMES, STATUSES } from './records.ts';

const table = {
  sortable: ['requested_at'],
  filters: { status: STATUSES, act: ACT_NAMES },
  search: (person_id: string) => ({ person_id }),
  unique: 'approval_id',
  maxCount: 10_000,
} as const;

export const listApprovals = operation('GET /api/v1/admin/approvals', {
  needs: 'support operator',
  byKey: true,
  summary: 'List approvals',
  description:
    'Lists the acts that wait for a second operator or were decided, newest first. `status=pending` includes those that have expired. `search` is a person_id.',
  query: listQuery(table).extend({ status: oneOf(STATUSES).optional(), search: line(200).optional() }),
  returns: pageResponse(approvalRecord),
  async handle({ db, now, query }) {
    const within = query.status || query.search ? {} : { requested_at: { $gt: new Date(0) } };
    const { data, pagination } = await readPage(db.approvals, table, [{ within }], query);
    return { data: data.map((approval) => presentApproval(approval, now())), pagination };
  },
});
