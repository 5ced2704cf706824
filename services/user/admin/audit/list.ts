import { TIME_LIMIT, tooSlow } from '@gatehouse/shared/data/time-limit';
import { pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { auditRecord, presentEvent } from '../../audit-list.ts';
import { operation } from '../operation.ts';
import { exportAudit, formatOf } from './export.ts';
import { accountsOf, KEPT_DAYS, periodOf, query, table } from './query.ts';

export const listAudit = operation('GET /api/v1/admin/audit', {
  needs: 'support operator',
  byKey: true,
  summary: 'List the audit events of everybody',
  description: `Lists the events of the last ${KEPT_DAYS} days, newest first. \`search\` matches the actions. A \`total_items\` above 10,000 is not exact; \`has_next\` always is. \`Accept: text/csv\` or \`application/x-ndjson\` without \`application/json\`, or \`format\`, streams every event that matches instead of a page, as CSV or as one JSON object per line. That needs the level \`admin\`, and is itself audited. A filter that takes longer than five seconds is 503: name an account, an organization or a shorter period.`,
  query,
  returns: pageResponse(auditRecord),
  orCsv: true,
  audits: ['admin.audit_export'],
  async handle(call) {
    const { db, now, request, reply, query } = call;
    reply.header('vary', 'Accept');
    const format = formatOf(request, query.format);
    if (format !== 'json') return exportAudit(call, format);
    const { from, to } = periodOf(query, now());
    const within = { at: { $gte: new Date(from), $lt: new Date(to) }, ...accountsOf(query) };
    const { data, pagination } = await readPage(db.auditEvents, table, [{ within }], query, {
      limits: TIME_LIMIT,
    }).catch(tooSlow('The search takes too long; name an account or a shorter period'));
    return { data: data.map(presentEvent), pagination };
  },
});
