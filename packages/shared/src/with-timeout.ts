/**
 * Settles like `call`, or rejects with `timeout` after `limit` milliseconds. Pass a function to create the error only
 * then: a stack trace costs more than a short call.
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
