/** What a call comes to within so many milliseconds. @throws `late` when it has not ended by then. */
export async function withTimeout<T>(call: Promise<T>, limit: number, late: Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(reject, limit, late);
  return Promise.race([call, promise]).finally(() => clearTimeout(timer));
}
