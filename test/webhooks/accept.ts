import { type Accept, createAccept } from '@gatehouse/webhooks/accept';
import { createWake } from '../../packages/webhooks/delivery/wake.ts';
import type { Database } from '../../services/user/database.ts';
import { hostOf } from './host.ts';

/** Takes events in as a process does that delivers none. */
export function acceptOnly({ db, now }: { db: Database; now: () => number }): Accept {
  const worker = { reload: () => {}, readMore: () => {} };
  return createAccept({ db, host: hostOf(db), now, ...createWake({ db, now, worker }) });
}
