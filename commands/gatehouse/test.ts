import { once } from 'node:events';
import type { Command } from './command.ts';
import { EXIT, UsageError } from './exit.ts';

const USAGE = `Starts Gatehouse for tests in any language: everything in memory, with a clock that a test moves. Ctrl-C
stops it. Refused in production.

  npx gatehouse test [--port <number>] [--control <number>] [--seed <file>] [--practice]

  --port      the gateway's port, 8000 by default; 0 for a free one
  --control   the port of the control, 8009 by default; 0 for a free one
  --seed      a YAML file with people and organizations (packages/testing/seed.yaml)
  --practice  starts practice identity providers too (docs/SOCIAL.md)
  --json      writes the addresses as JSON, when everything is up

The control takes JSON over HTTP, on this machine only: GET / lists its calls. docs/guides/test-your-app.md explains
them and has recipes.`;

export const test: Command = {
  summary: 'starts Gatehouse for tests, with a movable clock, over HTTP',
  usage: USAGE,
  options: {
    port: { type: 'string' },
    control: { type: 'string' },
    seed: { type: 'string' },
    practice: { type: 'boolean' },
  },
  async run({ values, positionals, terminal }) {
    if (positionals.length > 0) throw new UsageError('test takes no arguments');
    const port = portOf('port', values.port ?? '8000');
    const controlPort = portOf('control', values.control ?? '8009');
    const { startGatehouse, startControl } = await loadKit();
    const stopping = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
    await using gate = await startGatehouse({
      ...(port !== 0 && { port }),
      ...(typeof values.seed === 'string' && { seed: values.seed }),
      practice: values.practice === true,
    });
    const control = await startControl(gate, controlPort);
    const addresses = { url: gate.url, control: control.url };
    terminal.result(addresses, () => [
      `gateway  ${gate.url}`,
      `control  ${control.url}    curl ${control.url} lists its calls`,
      'Ctrl-C stops both.',
    ]);
    if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
    await control.stop();
    return EXIT.ok;
  },
};

function portOf(option: string, text: unknown): number {
  if (typeof text === 'string' && /^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`--${option} must be a port`);
}

/** The image has the commands and not the test kit. */
async function loadKit() {
  try {
    const [{ startGatehouse }, { startControl }] = await Promise.all([
      import('@gatehouse/testing'),
      import('@gatehouse/testing/control'),
    ]);
    return { startGatehouse, startControl };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('the test kit is not installed here: it is part of a checkout, not of the image', {
      cause: error,
    });
  }
}
