/** CPU milliseconds of one call in each process, as measured (docs/PERFORMANCE.md). */
const COST = {
  'login service': { login: 17.6, call: 0 },
  gateway: { login: 1.5, call: 0.25 },
  'user service': { login: 0.5, call: 0.16 },
  database: { login: 1.7, call: 0.05 },
};

/** Calls with a bearer for each login. */
const CALLS_PER_LOGIN = 20;
const ARRIVALS = 200_000;
/** Milliseconds that 99 of 100 calls may wait for a core. */
const MAX_WAIT = 20;

/**
 * Simulates each process as a queue with one server for each core, Poisson arrivals and the measured times, and prints
 * the least number of cores with which 99% wait less than `MAX_WAIT`. Network, failures and peaks are not in it.
 */
export async function growth(): Promise<void> {
  for (const logins of [10, 100, 1_000, 10_000]) {
    const cores = Object.entries(COST).map(([name, { login, call }]) => {
      const needed = leastCores(logins, logins * CALLS_PER_LOGIN, login, call);
      return `${name} ${needed.toLocaleString('en')}`;
    });
    const calls = (logins * CALLS_PER_LOGIN).toLocaleString('en');
    console.log(
      `  ${logins.toLocaleString('en')} logins and ${calls} other calls a second: ${cores.join(', ')} cores`,
    );
  }
}

function leastCores(logins: number, calls: number, login: number, call: number): number {
  const kinds = [
    { rate: logins, time: login },
    { rate: calls, time: call },
  ].filter(({ time }) => time > 0);
  const load = kinds.reduce((sum, { rate, time }) => sum + (rate * time) / 1000, 0);
  let cores = Math.floor(load) + 1;
  while (waitOf(kinds, cores) >= MAX_WAIT) cores += Math.ceil(cores / 100);
  return cores;
}

/** The wait in milliseconds that 99 of 100 arrivals stay below. */
function waitOf(kinds: { rate: number; time: number }[], cores: number): number {
  const total = kinds.reduce((sum, { rate }) => sum + rate, 0);
  const free = new Float64Array(cores);
  const waits = new Float64Array(ARRIVALS);
  let at = 0;
  for (let index = 0; index < ARRIVALS; index += 1) {
    at += (-Math.log(1 - Math.random()) * 1000) / total;
    let next = 0;
    for (let core = 1; core < cores; core += 1)
      if ((free[core] as number) < (free[next] as number)) next = core;
    const begin = Math.max(at, free[next] as number);
    waits[index] = begin - at;
    const time = Math.random() * total < (kinds[0]?.rate ?? 0) ? kinds[0]?.time : kinds[1]?.time;
    free[next] = begin + (time ?? 0);
  }
  return waits.sort()[Math.floor(ARRIVALS * 0.99)] as number;
}
