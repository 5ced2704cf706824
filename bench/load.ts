import autocannon from 'autocannon';

/** Requests a second over `connections` connections for `duration` seconds. @throws unless every answer is 2xx. */
export async function load(url: string, options: Partial<autocannon.Options> = {}): Promise<number> {
  const result = await autocannon({ url, connections: 16, duration: 4, ...options });
  const failed = result.non2xx + result.errors;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed`);
  return result.requests.average;
}
