import { collection } from '../data/connect.ts';

/** What an operator may do; `admin` includes `support`. */
export const OPERATOR_LEVELS = ['support', 'admin'] as const;

export type OperatorLevel = (typeof OPERATOR_LEVELS)[number];

/** A person who runs the deployment. It gives no role in any organization. */
export interface Operator {
  /** The user_id. */
  _id: string;
  level: OperatorLevel;
  added_at: Date;
  /** The user_id of the operator who added them, or `command line`. */
  added_by: string;
  /** When the level began, from `added_at` on. Records of the previous version have none. */
  level_since?: Date;
  /** A call of the user service is about to end their level `admin`. */
  leaving?: { call: string; at: Date };
}

/** Here and not in the user service, because every bearer check of a support session reads it. */
export const operatorCollections = {
  operators: collection<Operator>('operators', [
    { key: { added_at: 1, _id: 1 } },
    { key: { level: 1, added_at: 1, _id: 1 } },
  ]),
};
