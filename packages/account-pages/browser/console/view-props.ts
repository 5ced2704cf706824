import type { Result } from '../parts/result.ts';
import type { Operator } from './calls.ts';

/** What every view of the console gets. */
export interface ViewProps {
  /** The operator who is signed in. */
  operator: Operator;
  result: Result;
}
