import { type Finding, ok, warn } from '@gatehouse/shared/checks/finding';
import type { AuditAnchor, AuditLink } from '@gatehouse/shared/identity/audit-chain/records';
import type { Db } from 'mongodb';

/** Milliseconds after which the signer, which signs every minute, should have signed an event. */
const LATE = 3_600_000;

const NAME = 'audit chain';
const UNSIGNED =
  'give the login service AUDIT_SIGNING_KEY, which `npx gatehouse audit keygen` makes: whoever can write to the database can otherwise change the audit unseen';

/**
 * Looks at how far the audit is signed. Whether it is right says `npx gatehouse audit verify`.
 * @param now Unix milliseconds.
 */
export async function checkAuditChain(db: Db, now = Date.now()): Promise<Finding> {
  const chain = db.collection<AuditLink>('audit_chain');
  const [last, anchor] = await Promise.all([
    chain.findOne({}, { sort: { _id: -1 } }),
    db.collection<AuditAnchor>('audit_anchors').findOne({}, { sort: { _id: -1 } }),
  ]);
  if (!last) return ok(NAME, 'holds no event yet');
  if (!anchor) return warn(NAME, `${last._id.toLocaleString('en')} events are not signed`, UNSIGNED);
  const signed = anchor.first + anchor.count - 1;
  const waiting = await chain.findOne({ _id: { $gt: signed } }, { sort: { _id: 1 } });
  if (!waiting || now - waiting.at.getTime() < LATE)
    return ok(NAME, `signed to event ${signed.toLocaleString('en')}, at ${anchor.signed_at.toISOString()}`);
  const found = `the ${(last._id - signed).toLocaleString('en')} latest events are not signed, since ${anchor.signed_at.toISOString()}`;
  return warn(
    NAME,
    found,
    `if AUDIT_SIGNING_KEY is still set, see why in the log of the login service, and run \`npx gatehouse audit verify\``,
  );
}
