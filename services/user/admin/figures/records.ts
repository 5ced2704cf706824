import { collection } from '@gatehouse/shared/data/connect';

/** What the audit events of one hour came to; see fold-audit.ts. */
export interface HourFigures {
  /** When the hour began. */
  _id: Date;
  hour: Date;
  /** The events before this time are counted. */
  until: Date;
  counts: { action: string; outcome: string; count: number }[];
}

/** What processes have counted in memory: what no audit event tells. */
export const TALLIES = [
  'codes_mailed',
  'notices_mailed',
  'mails_failed',
  'webhook_deliveries',
  'webhook_failures',
] as const;
export type Tally = (typeof TALLIES)[number];

export interface HourTallies extends Partial<Record<Tally, number>> {
  /** When the hour began. */
  _id: Date;
  hour: Date;
}

/** Days for which figures are kept, as long as audit events are. */
export const KEPT_DAYS = 400;
const expiring = { key: { hour: 1 }, expireAfterSeconds: KEPT_DAYS * 86_400 } as const;

export const figureCollections = {
  hourFigures: collection<HourFigures>('hour_figures', [expiring]),
  hourTallies: collection<HourTallies>('hour_tallies', [expiring]),
};
