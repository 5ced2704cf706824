import { type IncomingHttpHeaders, request, type ServerResponse } from 'node:http';
import { errorEnvelope } from '../fixtures/envelope.ts';
import { startHttp } from '../fixtures/gateway.ts';

/** A request as a platform service received it. */
interface Call {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** False when the request was cut off. */
  complete: boolean;
}

type Reply = (call: Call, response: ServerResponse) => void;

const ok: Reply = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
};

/** A platform service that records its requests; `reply` sends the next response. */
export async function startPlatform() {
  const platform = { calls: [] as Call[], reply: ok };
  const http = await startHttp(async (incoming, response) => {
    const call: Call = {
      method: incoming.method,
      url: incoming.url,
      headers: incoming.headers,
      body: Buffer.alloc(0),
      complete: false,
    };
    platform.calls.push(call);
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('error', () => {});
    incoming.once('close', () => {
      Object.assign(call, { body: Buffer.concat(chunks), complete: incoming.complete });
      if (incoming.complete) platform.reply(call, response);
    });
  });
  return Object.assign(platform, http, {
    reset() {
      platform.calls.length = 0;
      platform.reply = ok;
    },
  });
}

export interface Exchange {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** One HTTP exchange, without the headers, decoding and redirects that fetch adds. Rejects when it is cut off. */
export function exchange(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: {
    method?: string;
    headers?: Record<string, string | string[]>;
    body?: string | Buffer | undefined;
  } = {},
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const path = url.slice(new URL(url).origin.length) || '/';
    const sized = body !== undefined &&
      !headers['transfer-encoding'] && { 'content-length': String(Buffer.byteLength(body)) };
    const all = { ...sized, ...headers };
    const outgoing = request(
      { hostname, port, path, method, headers: all, agent: false },
      async (incoming) => {
        const chunks: Buffer[] = [];
        try {
          for await (const chunk of incoming) chunks.push(chunk);
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: Buffer.concat(chunks),
          });
        } catch (error) {
          reject(error);
        }
      },
    );
    outgoing.once('error', reject).end(body);
  });
}

/** The status and the error envelope of a response. */
export const refusal = ({ status, body }: Exchange) => ({ status, body: JSON.parse(body.toString()) });

/** The expected `refusal`: an envelope with exactly its five keys. */
export const envelope = (status: number, code: string, message: string, details = message) => ({
  status,
  body: errorEnvelope(code, message, { details }),
});
