/**
 * Settles like `call`, or rejects with `timeout` after `limit` milliseconds. A function creates the error only then.
 */
export async function withTimeout<T>(
  call: Promise<T>,
  limit: number,
  timeout: Error | (() => Error),
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const expire = () => reject(typeof timeout === 'function' ? timeout() : timeout);
  const timer = setTimeout(expire, limit);
  return Promise.race([call, promise]).finally(() => clearTimeout(timer));
}
