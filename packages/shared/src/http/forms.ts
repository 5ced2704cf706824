import { isUtf8 } from 'node:buffer';
import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { LOGIN_BODY } from './body-limits.ts';
import { AppError } from './errors.ts';

const MAX_FIELDS = 100;

interface FormsOptions {
  /** Bytes of the largest body; 64 KiB by default. */
  maxBody?: number;
  /** Returns the error for a duplicate field; undefined means the default 400. */
  duplicateError?: (field: string) => AppError | undefined;
}

const malformed = (text: string) => new AppError('invalidFormat', { text });
const refuse = (text: string): never => {
  throw malformed(text);
};

/**
 * Accepts only forms in this scope (CONTRACT.md §Forms). `request.body` holds one string per field; any other
 * body is a 400.
 */
export const forms = fp(async (app: FastifyInstance, options: FormsOptions) => {
  const { maxBody = LOGIN_BODY } = options;
  app.removeAllContentTypeParsers();
  app.addHook('preParsing', async ({ headers }) => {
    const charset = URLENCODED_CHARSET.exec(headers['content-type'] ?? '')?.[1];
    if (charset && charset.toLowerCase() !== 'utf-8') refuse(`The charset ${charset} is not supported`);
    if (Number(headers['content-length']) > maxBody) refuse('The form is too large');
  });
  await app.register(formbody, {
    bodyLimit: maxBody,
    parser: (text) => parseUrlencoded(text, createForm(options)),
  });
  // Every part is read as bytes: invalid UTF-8 is refused, not replaced.
  await app.register(multipart, {
    isPartAFile: () => true,
    limits: { fileSize: maxBody + 1, parts: MAX_FIELDS, headerPairs: 20 },
  });
  app.addHook('preValidation', async (request) => {
    if (request.isMultipart()) {
      const form = createForm(options);
      request.body = await parseMultipart(request, form, maxBody).catch((error) => {
        // Errors of the parser itself (no boundary, truncated body) have no status.
        throw error instanceof AppError ? error : new AppError('invalidFormat', { cause: error });
      });
    } else if (request.body === undefined) refuse('The body must be a form');
  });
});

const URLENCODED_CHARSET = /^application\/x-www-form-urlencoded\b.*;\s*charset\s*=\s*"?([^\s";]+)/i;

type Form = ReturnType<typeof createForm>;

/** Collects fields and refuses duplicates and too many of them. */
function createForm({ duplicateError }: FormsOptions) {
  const fields: Record<string, string> = Object.create(null);
  let count = 0;
  const add = (name: string, value: string) => {
    if (name in fields)
      throw duplicateError?.(name) ?? malformed(`${name.slice(0, 64)} is given more than once`);
    count += 1;
    if (count > MAX_FIELDS) refuse('The form is too large');
    fields[name] = value;
  };
  return { fields, add };
}

/** application/x-www-form-urlencoded (WHATWG URL §5.1), except that malformed escapes are refused. */
function parseUrlencoded(text: string, { fields, add }: Form) {
  // The body is decoded already, so U+FFFD stands for invalid bytes. Clients escape a real one as %EF%BF%BD.
  if (text.includes('\ufffd')) refuse('The form is not UTF-8');
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.includes('=') ? pair.indexOf('=') : pair.length;
    add(decode(pair.slice(0, equals)), decode(pair.slice(equals + 1)));
  }
  return fields;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return refuse('The form has a malformed percent-encoding');
  }
}

async function parseMultipart(request: FastifyRequest, { fields, add }: Form, maxBody: number) {
  // Count the whole body: a preamble or a part header can be endless.
  let received = 0;
  request.raw.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxBody) request.raw.emit('error', malformed('The form is too large'));
  });
  for await (const part of request.parts()) {
    if (part.type !== 'file') return refuse('The form is malformed');
    const name = part.fieldname ?? refuse('The form has a part without a name');
    const shown = name.slice(0, 64);
    if (part.filename !== undefined) refuse(`${shown} must be a field, not a file`);
    if (part.mimetype.includes('json')) refuse(`${shown} must be text, not JSON`);
    if (!['7bit', '8bit', 'binary'].includes(part.encoding)) refuse(`${shown} has an unsupported encoding`);
    // Stop at the limit; toBuffer() would read an oversized part to its end.
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of part.file) {
      size += chunk.length;
      if (size > maxBody) refuse('The form is too large');
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks);
    if (name.includes('\ufffd') || !isUtf8(bytes)) refuse(`${shown} is not UTF-8`);
    add(name, bytes.toString('utf8'));
  }
  return fields;
}
