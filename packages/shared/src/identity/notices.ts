import { randomUUIDv7 } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Document, UpdateFilter } from 'mongodb';
import { deviceOf } from './audit.ts';
import type { Notice, NoticeDetails, NoticeKind } from './notice-records.ts';
import type { User } from './user-record.ts';

/** Notices that an account keeps until they are mailed. */
const MAX_NOTICES = 20;
/** Sign-ins give way first, then the oldest; those with a link that undoes a change last: no other mail has it. */
const BY_IMPORTANCE = { minor: -1, 'details.undo': 1, at: 1 } as const;

interface NewNotice<Kind extends NoticeKind> {
  kind: Kind;
  /** The address of the account before the change. */
  to: string;
  /** Unix milliseconds. */
  at: number;
  /** The request of the account's person, or of whoever acts as them. */
  request?: FastifyRequest;
  details: NoticeDetails[Kind];
}

export const newNotice = <Kind extends NoticeKind>({ kind, to, at, request, details }: NewNotice<Kind>) =>
  ({
    id: randomUUIDv7(),
    kind,
    at: new Date(at),
    to,
    ...(kind === 'new_sign_in' && { minor: true }),
    ...(request && { from: { device: deviceOf(request), address: request.ip } }),
    details,
  }) as Notice;

/**
 * Adds notices to the update that makes their change, so that one write stores both. The user service mails them
 * ("send account notices" in `jobs.ts`). `$max` never shortens the lease of a process that is mailing others.
 */
export const withNotice = (
  update: UpdateFilter<User>,
  ...notices: [Notice, ...Notice[]]
): UpdateFilter<User> => ({
  ...update,
  $push: { ...update.$push, notices: { $each: notices, $sort: BY_IMPORTANCE, $slice: -MAX_NOTICES } },
  $max: { ...update.$max, notices_due: notices[0].at },
});

/**
 * The fields that `withNotice` changes, as expressions for the `$set` of an update with a pipeline, for a minor notice: it
 * is dropped when others fill the record.
 */
export const noticeFields = (notice: Notice): { notices: Document; notices_due: Document } => {
  const stored = (cond: Document) => ({ $filter: { input: { $ifNull: ['$notices', []] }, cond } });
  const isMinor = { $eq: ['$$this.minor', true] };
  const notices = [stored(isMinor), [{ $literal: notice }], stored({ $not: [isMinor] })];
  return {
    notices: { $slice: [{ $concatArrays: notices }, -MAX_NOTICES] },
    notices_due: { $max: ['$notices_due', notice.at] },
  };
};
