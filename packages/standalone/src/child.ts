import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { printLines } from './log-lines.ts';

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

/** Milliseconds until a process that ignores SIGTERM is killed. */
const STOP_TIMEOUT = 10_000;

/** The gateway strips types with an experimental function of Node, whose warning says nothing to an operator. */
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning'];

/**
 * Starts a process in a process group of its own. A signal to the launcher's group then reaches only the
 * launcher, which stops the processes in order. The IPC channel tells each process when the launcher dies, and the
 * launcher when the process is ready. `stop` sends SIGTERM, and SIGKILL after `stopTimeout` milliseconds.
 */
export function startChild(
  name: string,
  script: URL,
  args: string[],
  env: NodeJS.ProcessEnv,
  stopTimeout = STOP_TIMEOUT,
): Component {
  const child: ChildProcess = spawn(process.execPath, [...NODE_OPTIONS, fileURLToPath(script), ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (child.stdout) printLines(name, child.stdout);
  if (child.stderr) printLines(name, child.stderr);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ready = new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    void ended.then((code) => reject(new Error(`${name} ended (exit code ${code})`)));
  });
  ready.catch(() => {}); // `ended` reports it too
  return {
    name,
    ready,
    ended,
    async stop(timeout = stopTimeout) {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), timeout);
      await ended;
      clearTimeout(timer);
    },
  };
}
