import { isUtf8 } from 'node:buffer';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { AppError } from './errors.ts';

/** Field names and values of one form, in bytes of UTF-8. */
const MAX_TEXT = 64 * 1024;
const MAX_FIELDS = 100;
/** Every byte may be percent-encoded, so a form may weigh three times its text. */
const MAX_BODY = 3 * MAX_TEXT;

interface FormsOptions {
  /** The failure of a field that is given twice, where it has one of its own. */
  doubled?: (field: string) => AppError | undefined;
}

const malformed = (text: string) => new AppError('invalidFormat', { text });
const refuse = (text: string): never => {
  throw malformed(text);
};

/**
 * Makes forms the only bodies of this scope: urlencoded and multipart become one string a field,
 * anything else is a 400 (spec §Direct contract). The fields land in `request.body`.
 */
export const forms = fp(async (app: FastifyInstance, { doubled }: FormsOptions) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: MAX_BODY },
    async (request: FastifyRequest, body: Buffer) => {
      const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
      if (charset && charset.toLowerCase() !== 'utf-8') refuse(`The charset ${charset} is not supported`);
      return collect(urlencodedFields(body), doubled);
    },
  );
  // Every part is taken as bytes, so that text which is not UTF-8 is refused instead of repaired.
  await app.register(multipart, {
    isPartAFile: () => true,
    limits: { fileSize: MAX_TEXT + 1, parts: MAX_FIELDS, headerPairs: 20 },
  });
  app.addHook('preValidation', async (request) => {
    if (request.isMultipart()) {
      request.body = await collect(multipartFields(request), doubled).catch((error) => {
        // The parser's own complaints (no boundary, cut off in the middle) carry no status.
        throw error instanceof AppError ? error : new AppError('invalidFormat', { cause: error });
      });
    } else if (request.body === undefined) refuse('The body must be a form');
  });
});

type Field = [name: string, value: string];

/** The fields of a form by name; a field given twice is refused rather than chosen from. */
async function collect(
  fields: Iterable<Field> | AsyncIterable<Field>,
  doubled: FormsOptions['doubled'],
): Promise<Record<string, string>> {
  const form: Record<string, string> = Object.create(null);
  let text = 0;
  let count = 0;
  for await (const [name, value] of fields) {
    if (name in form) throw doubled?.(name) ?? malformed(`${name.slice(0, 64)} is given more than once`);
    text += Buffer.byteLength(name) + Buffer.byteLength(value);
    count += 1;
    if (text > MAX_TEXT || count > MAX_FIELDS) refuse('The form is too large');
    form[name] = value;
  }
  return form;
}

/** application/x-www-form-urlencoded (WHATWG URL §5.1), except that malformed escapes are refused. */
function* urlencodedFields(body: Buffer): Generator<Field> {
  if (!isUtf8(body)) refuse('The form is not UTF-8');
  for (const pair of body.toString('utf8').split('&')) {
    if (pair === '') continue;
    const equals = pair.includes('=') ? pair.indexOf('=') : pair.length;
    yield [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return refuse('The form has a malformed percent-encoding');
  }
}

async function* multipartFields(request: FastifyRequest): AsyncGenerator<Field> {
  // What surrounds the parts counts too: a preamble or a part's header may be endless.
  let received = 0;
  request.raw.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > MAX_BODY) request.raw.emit('error', malformed('The form is too large'));
  });
  for await (const part of request.parts()) {
    if (part.type !== 'file') return refuse('The form is malformed');
    const name = part.fieldname ?? refuse('The form has a part without a name');
    const shown = name.slice(0, 64);
    if (part.filename !== undefined) refuse(`${shown} must be a field, not a file`);
    if (part.mimetype.includes('json')) refuse(`${shown} must be text, not JSON`);
    if (!['7bit', '8bit', 'binary'].includes(part.encoding)) refuse(`${shown} has an unsupported encoding`);
    // Read by hand: toBuffer() would read a part that is too large to its end.
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of part.file) {
      size += chunk.length;
      if (size > MAX_TEXT) refuse('The form is too large');
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks);
    if (name.includes('\ufffd') || !isUtf8(bytes)) refuse(`${shown} is not UTF-8`);
    yield [name, bytes.toString('utf8')];
  }
}
