import { bounded } from '@gatehouse/shared/data/bounded';
import { TIME_LIMIT } from '@gatehouse/shared/data/time-limit';
import { AppError } from '@gatehouse/shared/http/errors';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Filter } from 'mongodb';
import { presentEvent } from '../../audit-list.ts';
import { csvLine } from '../../csv.ts';
import type { Database } from '../../database.ts';
import { operatorOf } from '../../operators/require-operator.ts';
import { sendNothing, sendStream } from '../../send-stream.ts';
import { type AuditQuery, accountsOf, type FORMATS, periodOf, table } from './query.ts';

type Format = (typeof FORMATS)[number];

const DAY = 86_400_000;
/** Events of one read. */
const BATCH = 1_000;

const COLUMNS = [
  'event_id',
  'at',
  'action',
  'outcome',
  'user_id',
  'email',
  'operator',
  'target',
  'before',
  'after',
  'organization_id',
  'department_id',
  'address',
  'request_id',
] as const;

/** The parameter decides, or else what the client accepts. */
export function formatOf({ headers: { accept = '' } }: FastifyRequest, format?: Format): Format {
  if (format) return format;
  if (/application\/json/i.test(accept)) return 'json';
  if (/text\/csv/i.test(accept)) return 'csv';
  return /application\/(?:x-ndjson|jsonl)/i.test(accept) ? 'jsonl' : 'json';
}

interface Exporting {
  db: Database;
  now: () => number;
  request: FastifyRequest;
  reply: FastifyReply;
  query: AuditQuery;
  audit: (action: 'admin.audit_export', details: { after: Record<string, string> }) => Promise<void>;
}

/**
 * Streams every event that matches, newest first. The export is audited before its first byte.
 * @throws {AppError} forbidden unless the caller is an operator of the level admin.
 */
export async function exportAudit(
  { db, now, request, reply, query, audit }: Exporting,
  format: Exclude<Format, 'json'>,
): Promise<FastifyReply> {
  if (operatorOf(request).level !== 'admin') throw new AppError('forbidden');
  const isCsv = format === 'csv';
  reply
    .type(isCsv ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson')
    .header('content-disposition', `attachment; filename="audit.${format}"`)
    .header('cache-control', 'no-store');
  if (request.method === 'HEAD') return sendNothing(reply);
  const began = now();
  await audit('admin.audit_export', { after: { format, ...chosen(query) } });
  const lineOf = isCsv ? csvOf : (event: AuditEvent) => `${JSON.stringify(presentEvent(event))}\n`;
  const head = isCsv ? csvLine(COLUMNS) : '';
  return sendStream(reply, linesOf(head, lineOf, matching(db, query, periodOf(query, began))));
}

/** What was asked for, as the audit event tells it. */
function chosen(query: AuditQuery): Record<string, string> {
  const names = [...Object.keys(table.filters), 'actor', 'target', 'from', 'to', 'search'];
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (names.includes(name) ? [[name, String(value)]] : [])),
  );
}

async function* linesOf(
  head: string,
  lineOf: (event: AuditEvent) => string,
  batches: AsyncIterable<AuditEvent[]>,
) {
  yield head;
  for await (const batch of batches) yield batch.map(lineOf).join('');
}

/**
 * Reads the events day by day, and within a day in batches: no read is long, however few events match, and no cursor
 * stays open while the client reads slowly.
 */
async function* matching(db: Database, query: AuditQuery, { from, to }: { from: number; to: number }) {
  const filters = Object.keys(table.filters) as (keyof typeof table.filters)[];
  const given = filters.flatMap((name) => (query[name] === undefined ? [] : [{ [name]: query[name] }]));
  const search = query.search ? [table.search(query.search)] : [];
  const filter = { $and: [{}, accountsOf(query), ...given, ...search] } as Filter<AuditEvent>;
  for (let end = to; end > from; end -= DAY) {
    const start = new Date(Math.max(from, end - DAY));
    let last: AuditEvent | undefined;
    do {
      const batch: AuditEvent[] = await bounded(
        db.auditEvents
          .find(
            { $and: [filter, last ? before(start, last) : { at: { $gte: start, $lt: new Date(end) } }] },
            { sort: { at: -1, event_id: -1 }, limit: BATCH, ...TIME_LIMIT },
          )
          .toArray(),
      );
      yield batch;
      last = batch.length === BATCH ? batch.at(-1) : undefined;
    } while (last);
  }
}

/** Matches the events of a day that are older than one of them. */
const before = (start: Date, { at, event_id }: AuditEvent): Filter<AuditEvent> => ({
  at: { $gte: start, $lte: at },
  $or: [{ at: { $lt: at } }, { event_id: { $lt: event_id } }],
});

function csvOf(event: AuditEvent): string {
  const { actor, ...shown } = presentEvent(event);
  const row: Record<string, unknown> = { ...shown, ...actor };
  return csvLine(COLUMNS.map((column) => row[column]));
}
