import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export interface Running {
  readonly process: ChildProcess;
  readonly uri: string;
  /** What the server has printed. */
  readonly line: string;
}

/** Starts the server as a process of its own, and waits until it listens. */
export async function start(data: string, options: { ipc?: boolean } = {}): Promise<Running> {
  const child = spawn(process.execPath, [MAIN, '--port', '0', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit', ...(options.ipc ? (['ipc'] as const) : [])],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', (code) => reject(new Error(`exited with ${code}`)));
  });
  return { process: child, line, uri: /mongodb:\/\/\S+?(?=,)/.exec(line)?.[0] ?? '' };
}

/** The exit code and signal of a process, once it has ended. */
export async function exitOf(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return [child.exitCode, child.signalCode];
}

/** Runs the command until it ends. */
export async function run(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [MAIN, ...args]);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}
