import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { launch } from '../test/fixtures/launcher.ts';

/** Milliseconds after which a service has given back the memory of its start. */
const IDLE = 5_000;

/** Seconds from the start of the launcher until all three services are ready, and the memory of each idle process. */
export async function startup(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  try {
    for (const round of ['cold cache', 'warm cache', 'warm cache', 'warm cache']) {
      const began = performance.now();
      const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' }, folder });
      await gatehouse.up;
      const seconds = (performance.now() - began) / 1000;
      const healthy = await Promise.all(
        [gatehouse.gateway, gatehouse.login, gatehouse.user].map(
          async (origin) => (await fetch(`${origin}/health`)).ok,
        ),
      );
      if (healthy.includes(false)) throw new Error('a service is up but not healthy');
      console.log(`  ${round}: ${seconds.toFixed(2)} s`);
      await setTimeout(IDLE);
      console.log(memory(gatehouse.pid));
      await gatehouse.stop();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * The memory of a process and of its children. What they share is divided among them (the proportional set size), so
 * that their sum is what the machine needs. From Linux's /proc.
 */
function memory(launcher: number): string {
  const read = (pid: string, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
  const family = readdirSync('/proc').filter(
    (pid) =>
      /^\d+$/.test(pid) &&
      (Number(pid) === launcher || read(pid, 'stat').split(') ')[1]?.split(' ')[1] === String(launcher)),
  );
  const sizes = family.map((pid) => {
    const script = read(pid, 'cmdline')
      .split('\0')
      .find((argument) => argument.endsWith('.ts'));
    const kilobytes = Number(/^Pss:\s+(\d+)/m.exec(read(pid, 'smaps_rollup'))?.[1]);
    return { name: script?.split('/').slice(-2).join('/'), megabytes: kilobytes / 1024 };
  });
  const total = sizes.reduce((sum, { megabytes }) => sum + megabytes, 0);
  return [...sizes, { name: 'together', megabytes: total }]
    .map(({ name, megabytes }) => `    ${megabytes.toFixed(0).padStart(4)} MB  ${name}`)
    .join('\n');
}
