import type { KeyObject } from 'node:crypto';
import { isSigned } from '@gatehouse/shared/identity/audit-chain/anchors';
import {
  type AuditAnchor,
  type AuditLink,
  CHAIN_RETENTION_DAYS,
  dayName,
} from '@gatehouse/shared/identity/audit-chain/records';
import { type AuditReport, addProblem } from './report.ts';

const DAY = 86_400_000;

interface Options {
  /** In order. */
  anchors: readonly AuditAnchor[];
  /** Public keys by their ids. */
  keys: ReadonlyMap<string, KeyObject>;
  /** Whether every day is read. */
  isWhole: boolean;
  report: AuditReport;
}

/** Compares the days with their anchors while the chain is read. There is one anchor a day, so all fit into memory. */
export function checkAnchors({ anchors, keys, isWhole, report }: Options) {
  const byDay = new Map(anchors.map((anchor) => [anchor._id, anchor]));
  /** The days that are read, with how many links each has. */
  const seen = new Map<string, number>();
  const unsigned: string[] = [];
  const problem = (day: string, text: string, position?: number) =>
    addProblem(report, { kind: 'signature', text, day, ...(position !== undefined && { position }) });

  const endOf = ({ first, count }: AuditAnchor) => first + count - 1;

  function finish(day: string, links: number): void {
    report.days += 1;
    const anchor = byDay.get(day);
    if (!anchor) {
      unsigned.push(day);
      return;
    }
    if (checkSignature(anchor)) report.signed_days += 1;
    if (links < anchor.count)
      problem(day, `${day} has ${links} links, and ${anchor.count} were signed: some were removed.`);
    else if (anchor.closed && links > anchor.count)
      problem(day, `${day} has ${links} links, and was over with ${anchor.count}: some were added later.`);
  }

  function checkSignature(anchor: AuditAnchor): boolean {
    if (keys.size === 0) return true;
    if (isSigned(anchor, keys)) return true;
    problem(
      anchor._id,
      keys.has(anchor.key)
        ? `The anchor of ${anchor._id} was changed: its signature does not fit.`
        : `The anchor of ${anchor._id} is signed with the key ${anchor.key}, which is none of the given ones.`,
    );
    return false;
  }

  return {
    /** Takes the next link. */
    see({ _id, day, link }: AuditLink): void {
      const name = dayName(day);
      const anchor = byDay.get(name);
      const links = (seen.get(name) ?? 0) + 1;
      seen.set(name, links);
      if (!anchor) return;
      if (links === 1 && _id !== anchor.first)
        problem(name, `${name} was signed from position ${anchor.first} on, and begins at ${_id}.`, _id);
      if (_id === endOf(anchor) && link !== anchor.head)
        problem(name, `${name} was linked anew: position ${_id} is not what was signed.`, _id);
    },
    /** After the last link. */
    end(): void {
      for (const [day, links] of seen) finish(day, links);
      const [firstDay = ''] = seen.keys();
      for (const anchor of anchors) {
        if (seen.has(anchor._id) || (isWhole && firstDay !== '' && anchor._id < firstDay)) continue;
        checkSignature(anchor);
        problem(anchor._id, `All ${anchor.count} links of ${anchor._id} were removed: they were signed.`);
      }
      const [first, last] = [anchors[0]?._id ?? '', anchors.at(-1)?._id ?? ''];
      const between = unsigned.filter((day) => first < day && day < last);
      for (const day of between)
        problem(day, `${day} has no anchor, and days before and after it have: it was removed.`);
      const rest = unsigned.filter((day) => !between.includes(day));
      if (rest.length > 0)
        report.notes.push(
          `${rest.length === 1 ? `${rest[0]} is` : `${rest.length} days, ${rest[0]} to ${rest.at(-1)}, are`} not signed.`,
        );
      if (keys.size === 0 && anchors.length > 0)
        report.notes.push('No public key was given, so the signatures of the anchors were not checked.');
    },
    /** The link before a position at which a day begins. */
    linkBefore: (position: number): string | undefined =>
      anchors.find(({ first, previous }) => first === position && previous !== '')?.previous,
    /** Whether a position belongs to a day that was removed by age. */
    isAged(position: number, now: number): boolean {
      const anchor = anchors.find((each) => each.first <= position && position <= endOf(each));
      return anchor !== undefined && Date.parse(anchor._id) <= now - CHAIN_RETENTION_DAYS * DAY;
    },
  };
}

export type Anchors = ReturnType<typeof checkAnchors>;
