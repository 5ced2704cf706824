import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { checkSignatures } from './check-signatures.ts';

/** Bytes of a body that are read. */
const MAX_BODY = 1024 * 1024;
/** The ids that are remembered to recognize duplicates; the oldest is forgotten first. */
const MAX_IDS = 10_000;
/** The status of a request that is to fail. */
const FAILURE = 500;
/** Headers of HTTP itself, and those that are shown on lines of their own. */
const NOT_LISTED =
  /^(?:host|connection|content-length|content-type|user-agent|transfer-encoding|webhook-.*|x-service-signature)$/;

interface Options {
  secret: string;
  /** The status that every request is answered with. */
  status: number;
  /** The first requests, which are answered with 500. */
  fail: number;
  print: (text: string) => void;
  now?: () => number;
}

export interface Totals {
  received: number;
  duplicates: number;
  forged: number;
}

/** A receiver of webhooks that prints what arrives, for trying webhooks out. It does not listen yet. */
export function createReceiver(options: Options): { server: Server; totals: Totals } {
  const totals: Totals = { received: 0, duplicates: 0, forged: 0 };
  const seen = new Map<string, number>();

  /** How many times an id has arrived. */
  function count(id: string): number {
    const times = (seen.get(id) ?? 0) + 1;
    seen.delete(id);
    seen.set(id, times);
    for (const oldest of seen.keys()) {
      if (seen.size <= MAX_IDS) break;
      seen.delete(oldest);
    }
    return times;
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (!body) {
      options.print(
        `\n${printable(`${request.method} ${request.url}`)}: the body is longer than 1 MiB\n    answered 413`,
      );
      response.writeHead(413, { connection: 'close' }).end();
      return;
    }
    totals.received += 1;
    const id = request.headers['webhook-id'];
    const times = typeof id === 'string' ? count(id) : 1;
    if (times > 1) totals.duplicates += 1;
    const now = (options.now ?? Date.now)();
    const verdicts = checkSignatures(request.headers, body, options.secret, now);
    if (Object.values(verdicts).some(({ holds }) => !holds)) totals.forged += 1;
    const status = totals.received <= options.fail ? FAILURE : options.status;
    const line = (name: string, value: string) => `    ${name.padEnd(20)} ${value}`;
    options.print(
      [
        `\n#${totals.received}  ${new Date(now).toISOString()}  ${printable(`${request.method} ${request.url}`)}`,
        line(
          'webhook-id',
          `${printable(String(id ?? 'is missing'))}${times > 1 ? `  (duplicate: arrival ${times})` : ''}`,
        ),
        ...Object.entries(verdicts).map(([name, { holds, why }]) =>
          line(name, `${holds ? '✓' : '✗'} ${why}`),
        ),
        ...Object.entries(request.headers)
          .filter(([name]) => !NOT_LISTED.test(name))
          .map(([name, value]) => line(printable(name), printable(String(value)))),
        ...prettyJson(body).map((text) => `    ${text}`),
        `    answered ${status}`,
      ].join('\n'),
    );
    response
      .writeHead(status, { 'content-type': 'text/plain' })
      .end(status === FAILURE ? 'failed on purpose\n' : 'ok\n');
  }

  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  return { server, totals };
}

/** @returns null if the body is too long. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function prettyJson(body: Buffer): string[] {
  const text = body.toString();
  try {
    return printable(JSON.stringify(JSON.parse(text), null, 2)).split('\n');
  } catch {
    return [printable(text) || '(no body)'];
  }
}

/** Escapes what could control the terminal, except line breaks. */
const printable = (text: string): string =>
  text.replace(/[^\P{Cc}\n]|\p{Bidi_Control}/gu, (character) => {
    const code = (character.codePointAt(0) as number).toString(16).padStart(4, '0');
    return `\\u${code}`;
  });
