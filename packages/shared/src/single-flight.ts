/** Wraps `call`: concurrent callers share one call and its outcome. */
export function singleFlight<T>(call: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () => {
    pending ??= call().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
