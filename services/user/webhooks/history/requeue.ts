import { KEPT_DAYS } from '../records.ts';

/**
 * The change that puts a delivery back into its queue: in its old place by creation, with a new window of retries,
 * and kept at least until that has passed. Made twice it is as if made once.
 */
export const requeue = (now: number) => [
  {
    $set: {
      status: 'pending',
      due: '$created_at',
      failures: 0,
      gives_up_at: null,
      settled_at: null,
      expires_at: { $max: ['$expires_at', new Date(now + KEPT_DAYS * 86_400_000)] },
    },
  },
];
