import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts a program of examples/ as a process of its own. It prints its address when it listens. */
export async function startExample(script: string, env: NodeJS.ProcessEnv) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [`examples/${script}`], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = once(child, 'close');
  const url = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
        const [address] = /^http:\S+(?=\n)/m.exec(output) ?? [];
        if (address) resolve(address);
      });
  });
  const started = await Promise.race([url, ended]);
  if (typeof started !== 'string') throw new Error(`${script} ended:\n${output}`);
  return {
    url: started,
    /** What it has printed. */
    output: () => output,
    async stop(): Promise<void> {
      child.kill();
      await ended;
    },
  };
}
