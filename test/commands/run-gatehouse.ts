import { execFile } from 'node:child_process';

/** Runs `npx gatehouse` with these settings and no others. */
export const runGatehouse = (args: string[], env: NodeJS.ProcessEnv) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env }, maxBuffer: 16 * 1024 * 1024 };
    execFile(process.execPath, ['commands/gatehouse.ts', ...args], options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
