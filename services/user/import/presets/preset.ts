import type { Person } from '../person.ts';
import type { Fields } from '../read-rows.ts';

/** How the export of one system is read. */
export interface Preset {
  /** The field that holds the people, where the file is one JSON object. */
  list?: string;
  /**
   * Returns what reads people with their hashes, where the file does not describe those itself.
   * @param hashConfig the text of the file that does.
   * @throws {Error} when it is missing or incomplete.
   */
  withHashes?(hashConfig: string | undefined): Preset['read'];
  /** @returns undefined for what is no person, such as a service account. */
  read(fields: Fields): Person | undefined;
}

/** Whether a field is true, also as CSV writes it. */
export const isTrue = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && /^(?:true|t|1)$/i.test(value));

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
