import type { IncomingHttpHeaders } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { AppError } from '@gatehouse/shared/http/errors';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { GatewayDependencies } from '../dependencies.ts';
import { relay } from '../proxy/response.ts';
import { notConfigured } from '../proxy/upstreams.ts';

/** Keeps the body a stream. */
async function keepStream(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', async () => undefined);
}

/** Validated while it streams to the crawler (CONTRACT.md §Platform calls). */
export const uploadPdf = operationsOf<GatewayDependencies>(keepStream)('POST /api/v1/crawl/upload-pdf', {
  needs: 'session',
  summary: 'Upload a PDF to a chatbot',
  description:
    'multipart/form-data with `file` and `chatbot_id`. Forwarded to the crawler, whose response is returned unchanged.',
  consumes: ['multipart/form-data'],
  streamsBody: true,
  body: z.object({ file: z.string().meta({ format: 'binary' }), chatbot_id: z.string().min(1) }),
  returns: z
    .looseObject({})
    .meta({ description: 'The response of the crawler', examples: [{ status: 'queued' }] }),
  async handle({ upstreams, idempotency, request, reply }) {
    const upstream = upstreams['/api/v1/crawl'];
    if (!upstream) throw notConfigured('/api/v1/crawl');
    const response = await idempotency(request, reply, ({ body, signal }) => {
      const checked = validated(request.headers);
      const source = body instanceof Readable ? body : request.raw;
      source.on('error', (error) => checked.destroy(error)).pipe(checked);
      return upstream.forward(request, { body: checked, signal });
    });
    return relay(reply, response);
  },
});

/**
 * Passes a form through that has exactly one `file` and one `chatbot_id`. The last chunk is held back until the check
 * has passed, so the crawler never receives a complete request that is invalid.
 */
function validated(headers: IncomingHttpHeaders): Transform {
  const seen = { file: 0, chatbot_id: 0 };
  /** Names of parts of the wrong kind: a text field `file`, or a file `chatbot_id`. */
  const wrongKind = new Set<string>();
  const parser = openParser(headers);
  let last: Buffer | undefined;
  const checked = new Transform({
    transform(chunk, _encoding, done) {
      const previous = last;
      last = chunk;
      parser.write(chunk, () => done(null, previous));
    },
    flush(done) {
      parser.once('finish', () => done(refusalOf(seen, wrongKind), last)).end();
    },
  });
  const refuse = (cause: unknown) => checked.destroy(new AppError('invalidFormat', { cause }));
  parser
    .on('file', (name, file) => {
      if (name === 'file') seen.file += 1;
      if (name === 'chatbot_id') wrongKind.add(name);
      file.on('error', refuse).resume();
    })
    .on('field', (name, value, _, truncated) => {
      if (truncated) refuse('a field is too long');
      if (name === 'chatbot_id' && value !== '') seen.chatbot_id += 1;
      if (name === 'file') wrongKind.add(name);
    })
    .on('error', refuse)
    .on('fieldsLimit', () => refuse('too many fields'));
  return checked;
}

function openParser(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    if (!/^multipart\/form-data\b/i.test(String(headers['content-type']))) throw new Error('not a form');
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { fields: 100, fieldSize: 64 * 1024, headerPairs: 20 },
    });
  } catch (cause) {
    throw new AppError('invalidFormat', { text: 'The body must be multipart/form-data', cause });
  }
}

function refusalOf(seen: Record<'file' | 'chatbot_id', number>, wrongKind: Set<string>): AppError | null {
  for (const [name, times] of Object.entries(seen)) {
    if (times === 0) return new AppError('missingField', { text: `${name} is required` });
    if (times > 1 || wrongKind.has(name))
      return new AppError('invalidFormat', { text: `${name} is given more than once` });
  }
  return null;
}
