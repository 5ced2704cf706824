import type { Database } from '../../../services/user/database.ts';
import { createWake } from '../../../services/user/webhooks/delivery/wake.ts';
import { type Accept, createAccept } from '../../../services/user/webhooks/intake/accept.ts';

/** Takes events in as a process does that delivers none. */
export function acceptOnly({ db, now }: { db: Database; now: () => number }): Accept {
  const worker = { reload: () => {}, readMore: () => {} };
  return createAccept({ db, now, ...createWake({ db, now, worker }) });
}
