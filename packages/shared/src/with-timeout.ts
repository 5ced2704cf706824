/** Settles like `call`, or rejects with `timeout` after `limit` milliseconds. */
export async function withTimeout<T>(call: Promise<T>, limit: number, timeout: Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(reject, limit, timeout);
  return Promise.race([call, promise]).finally(() => clearTimeout(timer));
}
