import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from '../test/fixtures/launcher.ts';

/** Seconds from the start of the launcher until all three services are ready, and the memory of each process. */
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
      if (round === 'warm cache') console.log(memory(gatehouse.pid));
      await gatehouse.stop();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Resident memory of a process and its children, from Linux's /proc. */
function memory(launcher: number): string {
  const read = (pid: string, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
  const family = readdirSync('/proc').filter(
    (pid) =>
      /^\d+$/.test(pid) &&
      (Number(pid) === launcher || read(pid, 'stat').split(') ')[1]?.split(' ')[1] === String(launcher)),
  );
  return family
    .map((pid) => {
      const script = read(pid, 'cmdline').split('\0')[1]?.split('/').slice(-2).join('/');
      const kilobytes = /VmRSS:\s+(\d+)/.exec(read(pid, 'status'))?.[1];
      return `    ${String(Math.round(Number(kilobytes) / 1024)).padStart(4)} MB  ${script}`;
    })
    .join('\n');
}
