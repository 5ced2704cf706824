/** Milliseconds between the calls that are timed. */
const PAUSE = 5;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE));

/** Calls now and then until something else is done. @returns the times of the calls in milliseconds, in order. */
export async function timed(call: () => Promise<number>, until: Promise<unknown>): Promise<number[]> {
  let isDone = false;
  const done = until.then(() => {
    isDone = true;
  });
  const times: number[] = [];
  while (!isDone) {
    times.push(await call());
    await pause();
  }
  await done;
  return times.sort((a, b) => a - b);
}

/** The median and the 99th percentile. */
export const shown = (times: number[]) => {
  const at = (part: number) => (times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(1);
  return `${at(0.5)} ms (99 of 100 within ${at(0.99)} ms)`;
};
