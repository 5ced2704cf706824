import type { IncomingHttpHeaders } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { AppError, BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Idempotency } from './idempotency.ts';
import { relay, type Upstream } from './upstreams.ts';

interface Options {
  upstream: Upstream | undefined;
  idempotency: Idempotency;
}

/** POST /api/v1/crawl/upload-pdf: held against the specification's shape while it streams to the crawler. */
export async function uploadPdf(app: FastifyInstance, { upstream, idempotency }: Options): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async () => undefined);
  app.post(
    '/api/v1/crawl/upload-pdf',
    {
      schema: {
        tags: ['platform'],
        summary: 'Upload a PDF to a chatbot',
        description:
          'multipart/form-data with `file` and `chatbot_id`, forwarded to the crawler; the answer is its own.',
        security: [{ bearer: [] }],
        consumes: ['multipart/form-data'],
        body: z.object({ file: z.string().meta({ format: 'binary' }), chatbot_id: z.string().min(1) }),
        response: {
          200: z
            .looseObject({})
            .meta({ description: 'What the crawler says', examples: [{ status: 'queued' }] }),
          ...failures('catalogue', 'missingField', 'invalidFormat', ...BEARER_FAILURES),
        },
      },
      config: { streams: true },
      // The body is for the document alone: it is checked as it flows by.
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      if (!upstream)
        throw new AppError('unavailable', { text: 'No service is configured for /api/v1/crawl/' });
      const answer = await idempotency(request, reply, ({ body, signal }) => {
        const checked = checkedUpload(request.headers);
        const source = body instanceof Readable ? body : request.raw;
        source.on('error', (error) => checked.destroy(error)).pipe(checked);
        return upstream.forward(request, { body: checked, signal });
      });
      return relay(reply, answer);
    },
  );
}

/**
 * Lets a form pass that has one `file` and one `chatbot_id`. The check ends with the last byte, so the last chunk is
 * withheld until then: the crawler never sees the whole of a request that fails.
 */
function checkedUpload(headers: IncomingHttpHeaders): Transform {
  const seen = { file: 0, chatbot_id: 0 };
  /** Names of parts of the other kind: a text for a file, a file for a text. */
  const strange = new Set<string>();
  const parser = openParser(headers);
  let last: Buffer | undefined;
  const checked = new Transform({
    transform(chunk, _encoding, done) {
      const previous = last;
      last = chunk;
      parser.write(chunk, () => done(null, previous));
    },
    flush(done) {
      parser.once('finish', () => done(refusalOf(seen, strange), last)).end();
    },
  });
  const refuse = (cause: unknown) => checked.destroy(new AppError('invalidFormat', { cause }));
  parser
    .on('file', (name, file) => {
      if (name === 'file') seen.file += 1;
      if (name === 'chatbot_id') strange.add(name);
      file.on('error', refuse).resume();
    })
    .on('field', (name, value, _, cutShort) => {
      if (cutShort) refuse('a field too long');
      if (name === 'chatbot_id' && value !== '') seen.chatbot_id += 1;
      if (name === 'file') strange.add(name);
    })
    .on('error', refuse)
    .on('fieldsLimit', () => refuse('too many fields'));
  return checked;
}

function openParser(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    if (!/^multipart\/form-data\b/i.test(String(headers['content-type']))) throw new Error('no form');
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { fields: 100, fieldSize: 64 * 1024, headerPairs: 20 },
    });
  } catch (cause) {
    throw new AppError('invalidFormat', { text: 'The body must be multipart/form-data', cause });
  }
}

function refusalOf(seen: Record<'file' | 'chatbot_id', number>, strange: Set<string>): AppError | null {
  for (const [name, times] of Object.entries(seen)) {
    if (times === 0) return new AppError('missingField', { text: `${name} is required` });
    if (times > 1 || strange.has(name))
      return new AppError('invalidFormat', { text: `${name} is given more than once` });
  }
  return null;
}
