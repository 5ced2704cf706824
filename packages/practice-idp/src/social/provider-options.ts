import type { Staff } from '../people.ts';
import type { Switches } from './switches.ts';

export interface ProviderOptions {
  /** The prefix of the provider's addresses. */
  base: string;
  /** Where Gatehouse awaits the answer. */
  redirectUri: string;
  staff: Staff;
  switches: Switches;
}
