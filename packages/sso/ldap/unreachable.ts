import { reasonOf } from '@gatehouse/shared/outbound/reason';
import { SsoRefusal } from '../refusal.ts';

/** The refusal when a call to a directory fails. The library's own texts name the operation that failed. */
export function unreachable(error: Error): SsoRefusal {
  const reason = reasonOf(error);
  const detail = reason === 'the request failed' ? error.message : reason;
  return new SsoRefusal('provider unavailable', detail, error);
}
