import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { chart } from './chart.ts';

/** What was measured: the median and the spread of the rounds. */
interface Measurement {
  median: number;
  min: number;
  max: number;
}

interface Ratio {
  benchmark: string;
  /** What is ours. */
  of: string;
  /** What it is compared with. */
  over: string;
  /** The median of the ratios of the rounds, and their spread. */
  ratio: number;
  min: number;
  max: number;
  /** The ratio to reach: at least, or at most when less is better. */
  goal?: number | undefined;
  unit: string;
  /** The heading in the chart; other ratios are not drawn. */
  chart: string | undefined;
}

interface Comparison {
  unit: string;
  rounds: number;
  /** Taken in turns: a noisy moment affects all of them. */
  measures: Record<string, () => Promise<number>>;
  ratios: Pick<Ratio, 'of' | 'over' | 'goal'>[];
  chart?: string;
}

/** The heading of what is compared with a bare library. */
export const LIMITS = 'Compared with the least that the work takes';

const measured: Record<string, Record<string, Measurement & { unit: string }>> = {};
const ratios: Ratio[] = [];

/** Measures, prints medians and ratios with their spread, and keeps them for `save`. */
export async function compare(
  benchmark: string,
  { unit, rounds, measures, ratios: wanted, chart: heading }: Comparison,
): Promise<void> {
  const taken: Record<string, number>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const values: Record<string, number> = {};
    for (const [name, measure] of Object.entries(measures)) values[name] = await measure();
    taken.push(values);
  }
  const medians = Object.fromEntries(
    Object.keys(measures).map((name) => [name, summary(taken.map((values) => values[name] as number))]),
  );
  const width = Math.max(...Object.keys(medians).map((name) => name.length));
  for (const [name, { median, min, max }] of Object.entries(medians)) {
    console.log(`  ${name.padEnd(width)}  ${figure(median)} ${unit} (${figure(min)} to ${figure(max)})`);
    measured[benchmark] = { ...measured[benchmark], [name]: { median, min, max, unit } };
  }
  for (const { of, over, goal } of wanted) {
    // A ratio for each round, because what slows the machine for a while slows both measures of a round.
    const {
      median: ratio,
      min,
      max,
    } = summary(taken.map((values) => (values[of] as number) / (values[over] as number)));
    ratios.push({ benchmark, of, over, ratio, min, max, unit, goal, chart: heading });
    const aim = goal === undefined ? '' : `, goal ${goal.toFixed(2)}`;
    console.log(`  ${of} / ${over}: ${ratio.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})${aim}`);
  }
}

/** Writes everything compared so far as JSON and as a chart. */
export async function save(): Promise<void> {
  const [processor] = cpus();
  const machine = { node: process.version, cores: cpus().length, processor: processor?.model };
  const results = { at: new Date().toISOString(), machine, measured, ratios };
  await writeFile('bench/results.json', `${JSON.stringify(results, null, 2)}\n`);
  const groups = Map.groupBy(ratios, (ratio) => ratio.chart);
  await writeFile('docs/images/benchmarks.svg', chart(groups));
}

function summary(values: number[]): Measurement {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] as number;
  return { median: at(0.5), min: at(0), max: at(1) };
}

const figure = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
