import { collection } from '@gatehouse/shared/data/connect';
import type { SupportMode } from '@gatehouse/shared/identity/tokens';

/** A session of an operator in the account of a person. It ends as every session of the person does. */
export interface SupportRecord {
  /** The `sid` of its token. */
  session_id: string;
  /** The user_id of the person. */
  person_id: string;
  /** The user_id of the operator. */
  operator: string;
  mode: SupportMode;
  reason: string;
  began_at: Date;
  /** When its token expires. */
  expires_at: Date;
  /** When an operator ended it. */
  ended_at?: Date;
}

/** Days for which a record is kept, as long as audit events are. */
const KEPT_DAYS = 400;

export const supportCollections = {
  supportSessions: collection<SupportRecord>('support_sessions', [
    { key: { session_id: 1 }, unique: true },
    { key: { began_at: 1, session_id: 1 } },
    { key: { person_id: 1, began_at: 1, session_id: 1 } },
    { key: { operator: 1, began_at: 1, session_id: 1 } },
    { key: { mode: 1, began_at: 1, session_id: 1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: KEPT_DAYS * 86_400 },
  ]),
};
