import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A process of its own: the services and the launcher import nothing of the test kit. */
const SCRIPT = fileURLToPath(new URL('../../testing/src/seed/main.ts', import.meta.url));

/**
 * Seeds the running services from a file, and prints who can sign in.
 * @param connections those of the practice identity providers, if they run.
 * @throws when the seed is refused; the process has said why.
 */
export async function runSeed(
  file: string,
  { env, connections }: { env: NodeJS.ProcessEnv; connections: object | undefined },
): Promise<void> {
  const args = [SCRIPT, file, connections ? JSON.stringify(connections) : ''];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise((resolve) => child.once('error', resolve).once('close', resolve));
  if (code !== 0) throw new Error(`${file} is not in place`);
}
