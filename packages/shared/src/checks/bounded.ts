import { withTimeout } from '../with-timeout.ts';
import { type Finding, warn } from './finding.ts';

/** Milliseconds for one check. Each has shorter limits of its own; this one holds if they fail. */
const TIMEOUT = 20_000;

/** Runs a check that asks another server: it ends in time, and what it throws becomes a finding. */
export async function bounded(
  name: string,
  check: () => Promise<Finding[]>,
  timeout = TIMEOUT,
): Promise<Finding[]> {
  try {
    return await withTimeout(check(), timeout, new Error(`no result within ${timeout / 1000} seconds`));
  } catch (error) {
    return [
      warn(name, `not checked: ${(error as Error).message}`, 'run the doctor again, and look at the network'),
    ];
  }
}
