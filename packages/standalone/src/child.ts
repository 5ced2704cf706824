import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { printLines } from './log-lines.ts';

/** Milliseconds after which a process that was asked to stop is ended. */
const STOP_TIMEOUT = 10_000;

export interface Child {
  name: string;
  /** Resolves when it serves, rejects when it ends before. */
  ready: Promise<void>;
  /** Resolves when it has ended, with its exit code. */
  ended: Promise<number | null>;
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>;
}

/**
 * Starts one of our processes. It has a process group of its own, so that a signal to the launcher's group
 * reaches only the launcher, which stops things in order; it ends by itself when the launcher is gone.
 */
export function startChild(name: string, script: URL, args: string[], env: NodeJS.ProcessEnv): Child {
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(script), ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (child.stdout) printLines(name, child.stdout);
  if (child.stderr) printLines(name, child.stderr);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ready = new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    ended.then((code) => reject(new Error(`${name} ended (exit code ${code})`)));
  });
  ready.catch(() => {}); // told by `ended` as well
  return {
    name,
    ready,
    ended,
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT);
      await ended;
      clearTimeout(late);
    },
  };
}
