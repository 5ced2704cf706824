import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePorts } from '../test/fixtures/launcher.ts';

/** Starts one of `peers/` as a process. */
export async function startPeer(name: string, ...args: string[]) {
  const [port] = await freePorts(1);
  const process_ = spawn(process.execPath, [`bench/peers/${name}.ts`, String(port), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(process_.stdout, 'data');
  return { url: `http://127.0.0.1:${port}`, output: process_.stdout, stop: () => process_.kill() };
}
