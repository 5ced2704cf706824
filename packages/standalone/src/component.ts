/** A part of the installation that the launcher starts and stops. */
export interface Component {
  name: string;
  /** Resolves when it is ready, rejects if it ends before that. */
  ready: Promise<void>;
  /** Resolves with the exit code, null after a signal. */
  ended: Promise<number | null>;
  /** Stops it, by force after `timeout` milliseconds; resolves when it has ended. */
  stop(timeout?: number): Promise<void>;
}
