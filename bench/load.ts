import autocannon from 'autocannon';

/** Requests a second over `connections` connections for `duration` seconds. @throws unless every answer is 2xx. */
export async function load(url: string, options: Partial<autocannon.Options> = {}): Promise<number> {
  const result = await autocannon({ url, connections: 16, duration: 4, ...options });
  const failed = result.non2xx + result.errors;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed`);
  return result.requests.average;
}

/** The median of each measurement. They are taken in turns, so that a noisy moment affects all of them. */
export async function inTurns(rounds: number, ...measures: (() => Promise<number>)[]): Promise<number[]> {
  const taken: number[][] = measures.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, measure] of measures.entries()) taken[index]?.push(await measure());
  }
  return taken.map((values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number);
}
