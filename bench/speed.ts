import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { compare, LIMITS } from './report.ts';

/** Where the CPU time of another process can be read: Linux. */
const HAS_PROC = existsSync('/proc/self/stat');

type Comparison = Parameters<typeof compare>[1];

/** How fast one process works: units of work in a second, by the clock and by its own CPU time. */
interface Speed {
  byClock: number;
  /** Unlike the clock's, it does not depend on who else shares the cores: database, provider, load generator. */
  byProcessor: number;
}

/** Compares the speeds of processes, after a warm-up, by the clock and by their CPU time. */
export async function compareSpeeds(
  benchmark: string,
  {
    measures,
    ...comparison
  }: Omit<Comparison, 'unit' | 'measures' | 'chart'> & { measures: Record<string, () => Promise<Speed>> },
): Promise<void> {
  for (const measure of Object.values(measures)) await measure();
  const by = (clock: keyof Speed) =>
    Object.fromEntries(
      Object.entries(measures).map(([name, measure]) => [name, async () => (await measure())[clock]]),
    );
  await compare(benchmark, { ...comparison, unit: 'logins/s', measures: by('byClock') });
  if (!HAS_PROC) return;
  const unit = 'logins/s of CPU time';
  await compare(`${benchmark} by processor`, {
    ...comparison,
    unit,
    measures: by('byProcessor'),
    chart: LIMITS,
  });
}

/** @param pid of the process whose CPU time counts, while `work` does `count` units. */
export async function speedOf(pid: number, count: number, work: () => Promise<unknown>): Promise<Speed> {
  const before = processorTime(pid);
  const began = performance.now();
  await work();
  return {
    byClock: count / ((performance.now() - began) / 1000),
    byProcessor: count / (processorTime(pid) - before),
  };
}

/** Returns the process of a service that a launcher has started; 0 without /proc. */
export function processOf(launcher: number, service: string): number {
  if (!HAS_PROC) return 0;
  const pid = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find(
      (each) =>
        statusOf(each)[1] === String(launcher) && read(each, 'cmdline').includes(`services/${service}/`),
    );
  if (pid === undefined) throw new Error(`no process of ${service} is found in /proc`);
  return Number(pid);
}

/** Seconds, in ticks of 10 ms. */
function processorTime(pid: number): number {
  const [user, system] = statusOf(String(pid)).slice(11, 13).map(Number) as [number, number];
  return (user + system) / 100;
}

/** The fields of /proc/PID/stat after the name of the command, see proc_pid_stat(5); none if the process is gone. */
const statusOf = (pid: string): string[] => read(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
