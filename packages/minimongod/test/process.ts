import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export interface Running {
  readonly process: ChildProcess;
  readonly uri: string;
  readonly line: string;
}

/** A server process of its own, listening. */
export async function start(file: string, options: { ipc?: boolean } = {}): Promise<Running> {
  const child = spawn(process.execPath, [MAIN, '--port', '0', '--data', file], {
    stdio: ['ignore', 'pipe', 'inherit', ...(options.ipc ? (['ipc'] as const) : [])],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', (code) => reject(new Error(`exited with ${code}`)));
  });
  return { process: child, line, uri: /mongodb:\/\/\S+?(?=,)/.exec(line)?.[0] ?? '' };
}

export async function exit(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  if (child.exitCode !== null || child.signalCode !== null) return [child.exitCode, child.signalCode];
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve([code, signal])));
}

/** Runs main.ts to its end. */
export async function run(...options: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [MAIN, ...options]);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await new Promise<[number | null]>((resolve) =>
    child.once('close', (status) => resolve([status])),
  );
  return { code, out, err };
}
