import { createPublicKey } from 'node:crypto';
import type { Collections } from '../../data/connect.ts';
import { isSigned, type SigningKey, signAnchor } from './anchors.ts';
import { linkOf } from './commitments.ts';
import { type AuditAnchor, type AuditLink, type chainCollections, dayName } from './records.ts';

interface Options {
  db: Pick<Collections<typeof chainCollections>, 'auditChain' | 'auditAnchors'>;
  key: SigningKey;
  /** Public keys that have signed before, by their ids. */
  formerKeys?: Parameters<typeof isSigned>[1];
  now: () => number;
}

/** What a run has signed, and why it has not signed the rest. */
export interface Signed {
  /** The last anchor, if there is one. */
  anchor: AuditAnchor | null;
  signed: number;
  /** In words; a day with a fault is signed no further. */
  faults: string[];
}

/** What has been signed of a day. */
type Draft = Pick<AuditAnchor, '_id' | 'first' | 'count' | 'head' | 'previous'>;

/**
 * Signs what has been linked since the last time: one anchor for each day, which is replaced until the day is over. Each
 * link is computed again, from the last one that was signed. What does not fit is not signed, nor is the rest of its day:
 * the anchor that is there remains as evidence, and the next day begins with an anchor of its own.
 * @param before the last anchor that this process has signed.
 */
export async function signDays(
  { db, key, formerKeys = new Map(), now }: Options,
  before: AuditAnchor | null,
): Promise<Signed> {
  const { auditChain, auditAnchors } = db;
  const keys = new Map(formerKeys).set(key.id, createPublicKey(key.privateKey));
  const latest = await auditAnchors.findOne({}, { sort: { _id: -1 } });
  const result: Signed = { anchor: latest, signed: 0, faults: [] };
  const doubt = await doubtOf(db, latest, keys, before);
  /** The day that is not signed any further. */
  let skipped = '';
  let draft: Draft | null = latest;
  let stored = latest;
  if (doubt !== null) {
    result.faults.push(doubt);
    skipped = [latest?._id ?? '', before?._id ?? ''].sort().at(-1) ?? '';
    draft = null;
  }

  const write = async (closed: boolean): Promise<boolean> => {
    if (!draft || (stored?._id === draft._id && stored.count === draft.count && stored.closed === closed))
      return true;
    const { _id, first, count, head, previous } = draft;
    const anchor = signAnchor({ _id, first, count, head, previous, closed, signed_at: new Date(now()) }, key);
    if (!(await replaceAnchor(db, stored?._id === _id ? stored : null, anchor))) return false;
    stored = anchor;
    result.anchor = anchor;
    result.signed += 1;
    return true;
  };

  const position = latest ? latest.first + latest.count : 1;
  for await (const entry of auditChain.find({ _id: { $gte: position } }).sort({ _id: 1 })) {
    const day = dayName(entry.day);
    if (day <= skipped) continue;
    if (draft && day !== draft._id && !(await write(true))) return result;
    const fault = draft && faultOf(draft, entry);
    if (fault) {
      result.faults.push(fault);
      if (!(await write(false))) return result;
      skipped = day;
      draft = null;
      continue;
    }
    if (draft?._id === day) draft = { ...draft, count: draft.count + 1, head: entry.link };
    else
      draft = {
        _id: day,
        first: entry._id,
        count: 1,
        head: entry.link,
        previous: draft?.head ?? (await linkBefore(db, entry)),
      };
  }
  if (draft) await write(stored?._id === draft._id && stored.closed);
  return result;
}

/** Why nothing can be added to the last anchor. */
async function doubtOf(
  { auditChain }: Options['db'],
  latest: AuditAnchor | null,
  keys: Parameters<typeof isSigned>[1],
  before: AuditAnchor | null,
): Promise<string | null> {
  if (before && (!latest || latest.first + latest.count < before.first + before.count))
    return `the anchor of ${before._id} was removed or replaced by an earlier one`;
  if (!latest) return null;
  if (!isSigned(latest, keys)) return `the anchor of ${latest._id} is not signed with a known key`;
  const end = latest.first + latest.count - 1;
  const entry = await auditChain.findOne({ _id: end });
  if (entry?.link === latest.head) return null;
  return `${latest._id} was signed up to position ${end}, which ${entry ? 'was changed' : 'was removed'} since`;
}

function faultOf({ head, first, count }: Draft, entry: AuditLink): string | null {
  const { _id, day } = entry;
  if (_id !== first + count)
    return `${dayName(day)} has a gap before position ${_id}: ${first + count} is missing`;
  return linkOf(head, entry) === entry.link
    ? null
    : `the link at position ${_id} of ${dayName(day)} does not follow the one before it`;
}

const linkBefore = async ({ auditChain }: Options['db'], { _id }: AuditLink): Promise<string> =>
  (await auditChain.findOne({ _id: _id - 1 }))?.link ?? '';

/** @returns false if another process has signed meanwhile. */
async function replaceAnchor(
  { auditAnchors }: Options['db'],
  stored: AuditAnchor | null,
  anchor: AuditAnchor,
): Promise<boolean> {
  const { _id, signature: _, ...rest } = anchor;
  if (!stored) {
    const { upsertedCount } = await auditAnchors.updateOne(
      { _id },
      { $setOnInsert: { ...rest, signature: anchor.signature } },
      { upsert: true },
    );
    return upsertedCount === 1;
  }
  const { matchedCount } = await auditAnchors.updateOne(
    { _id, signature: stored.signature },
    { $set: { ...rest, signature: anchor.signature } },
  );
  return matchedCount === 1;
}
