import type { Staff } from '../people.ts';
import type { Switches } from './switches.ts';

export interface ProviderOptions {
  /** What the provider's addresses begin with. */
  base: string;
  /** Where Gatehouse awaits the answer. */
  redirectUri: string;
  staff: Staff;
  switches: Switches;
}
