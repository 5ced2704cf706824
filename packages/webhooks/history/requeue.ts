/**
 * The update that puts a delivery back into its queue, in its original position and with a new retry window, and
 * extends its expiry to outlast that window. Idempotent.
 */
export const requeue = (now: number, retention: number) => [
  {
    $set: {
      status: 'pending',
      due: '$created_at',
      failures: 0,
      gives_up_at: null,
      settled_at: null,
      expires_at: { $max: ['$expires_at', new Date(now + retention)] },
    },
  },
];
