import { createHash, createHmac } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../database.ts';
import { leaseKey } from './idempotency-lease.ts';
import { takeStorage } from './idempotency-storage.ts';
import { hasBody } from './request-body.ts';
import { abortOnDisconnect, type UpstreamResponse } from './response.ts';
import type { ForwardOptions } from './upstreams.ts';

/** Bytes of the largest response that is stored (CONTRACT.md §Idempotency): each is held in memory as well. */
const MAX_STORED = 1024 * 1024;
const MUTATING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Makes a call at most once for each `Idempotency-Key` of a user, method and path (CONTRACT.md §Idempotency).
 * Responses with 429, 5xx or `no-store` are not stored: `no-store` marks tokens and secrets. The secrets key the
 * fingerprints: otherwise a reader of the database could guess bodies.
 */
export function createIdempotency(
  { JWT_SECRET, JWT_SECRET_PREVIOUS }: Pick<GatewayConfig, 'JWT_SECRET' | 'JWT_SECRET_PREVIOUS'>,
  db: Database,
  now: () => number,
) {
  const secrets = [JWT_SECRET, ...(JWT_SECRET_PREVIOUS ? [JWT_SECRET_PREVIOUS] : [])];
  /**
   * @param call makes the call with the options that it is given.
   * @param whole the body, if it has been read already.
   */
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    call: (options: ForwardOptions) => Promise<UpstreamResponse>,
    whole?: Buffer,
  ): Promise<UpstreamResponse> => {
    const key = request.headers['idempotency-key'];
    const { principal } = request;
    if (key === undefined || !principal || !MUTATING.has(request.method)) {
      return call({ body: whole, signal: abortOnDisconnect(reply) });
    }
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new AppError('invalidFormat', { text: 'Idempotency-Key must be 1 to 255 visible characters' });
    }
    const path = request.url.split('?', 1)[0];
    const { user, session } = principal;
    // Each of these is answered apart: an operator in support of the person, and each key, which may lack the permission.
    const apart = session.support || principal.key ? [session.id] : [];
    const _id = digest(JSON.stringify([user._id.toHexString(), request.method, path, key, ...apart]));
    const { body, fingerprints } = fingerprinted(request, whole, secrets);

    const lease = await leaseKey(db, _id, now);
    if (!lease) return storedResponse(db, _id, body, fingerprints);
    const release = async () => {
      await lease.stopRenewal();
      await db.idempotencyKeys.deleteOne(lease.held);
    };
    try {
      // No signal: a client that disconnects retries with the key and expects the outcome.
      const response = await call({ body: copyOf(body) });
      const { status, headers } = response;
      const { all, stream } = await upTo(MAX_STORED, response.body).catch((cause) => {
        throw new AppError('unavailable', { cause });
      });
      const isComplete = await consumed(body);
      const mayRunAgain = status >= 500 || status === 429;
      if (!isComplete || mayRunAgain || /\bno-store\b/i.test(String(headers['cache-control'])))
        await release();
      else {
        const [fingerprint = ''] = fingerprints();
        await lease.stopRenewal();
        const log = (error: unknown) =>
          request.log.error({ err: error }, 'cannot store the response for its Idempotency-Key');
        const account = principal.user._id.toHexString();
        // If a response cannot be counted, only the fact of the call is stored.
        const isKept =
          all &&
          (await takeStorage(db, account, all.length, now()).catch((error) => {
            log(error);
            return false;
          }));
        const answer = isKept && {
          status,
          headers: headers as Record<string, string>,
          body: all.toString('base64'),
        };
        await db.idempotencyKeys
          .updateOne(lease.held, { $set: { fingerprint, ...(answer ? { answer } : { status }) } })
          .catch(log);
      }
      return { status, headers, body: all ?? stream };
    } catch (error) {
      await release();
      throw error;
    }
  };
}

export type Idempotency = ReturnType<typeof createIdempotency>;

async function storedResponse(
  db: Database,
  _id: string,
  body: ForwardOptions['body'],
  fingerprints: () => string[],
): Promise<UpstreamResponse> {
  const known = await db.idempotencyKeys.findOne({ _id });
  if (known?.fingerprint === undefined) {
    throw new AppError('duplicate', { text: 'A request with this Idempotency-Key is in progress' });
  }
  if (body instanceof Readable) for await (const _ of body); // the fingerprint needs the whole body
  if (!fingerprints().includes(known.fingerprint)) {
    throw new AppError('duplicate', { text: 'This Idempotency-Key was used with a different body' });
  }
  if (!known.answer) {
    const status = known.status === undefined ? '' : ` and was answered with ${known.status}`;
    throw new AppError('duplicate', {
      text: `This request has been made${status}; its response could not be kept`,
    });
  }
  return { ...known.answer, body: Buffer.from(known.answer.body, 'base64') };
}

/** Reads a body up to `max` bytes: `all` of it, or a stream of it when it is larger. */
async function upTo(
  max: number,
  body: UpstreamResponse['body'],
): Promise<{ all?: Buffer; stream: Readable }> {
  if (!(body instanceof Readable)) return { all: Buffer.from(body as string), stream: Readable.from([]) };
  const chunks: Buffer[] = [];
  let size = 0;
  const source = body[Symbol.asyncIterator]();
  for (let next = await source.next(); !next.done; next = await source.next()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > max) {
      const replayed = async function* () {
        yield* chunks;
        yield* { [Symbol.asyncIterator]: () => source };
      };
      return { stream: Readable.from(replayed(), { objectMode: false }) };
    }
  }
  return { all: Buffer.concat(chunks), stream: Readable.from([]) };
}

/** A copy for the upstream: undici destroys it at an early response, and the rest of the body is still to be read. */
function copyOf(body: ForwardOptions['body']): ForwardOptions['body'] {
  if (!(body instanceof Readable)) return body;
  const copy = new PassThrough();
  copy.on('error', () => {}); // undici may not listen yet, or no longer
  if (body.errored) return copy.destroy(body.errored);
  body.on('error', (error) => copy.destroy(error));
  return body.pipe(copy);
}

/** Whether the whole request body arrived. Reads what an early response left unread. */
async function consumed(body: ForwardOptions['body']): Promise<boolean> {
  if (!(body instanceof Readable) || body.readableEnded) return true;
  if (body.destroyed) return false;
  return finished(body.resume()).then(
    () => true,
    () => false,
  );
}

/**
 * The request's body, and digests of query, content type and body, one for each secret; call it after the body has been
 * read. The first is stored.
 */
function fingerprinted(
  request: FastifyRequest,
  whole: Buffer | undefined,
  secrets: readonly string[],
): { body: ForwardOptions['body']; fingerprints: () => string[] } {
  const { 'content-type': type = '' } = request.headers;
  const hash = createHash('sha256').update(JSON.stringify([request.url, type]));
  const fingerprints = () => {
    const digested = hash.copy().digest();
    return secrets.map((secret) => createHmac('sha256', secret).update(digested).digest('base64url'));
  };
  if (whole) {
    hash.update(whole);
    return { body: whole, fingerprints };
  }
  if (!hasBody(request)) return { body: undefined, fingerprints };
  const body = new PassThrough();
  body.on('error', () => {}); // the client may disconnect before the call is made
  body.on('data', (chunk) => hash.update(chunk)).pause();
  request.raw.on('error', (error) => body.destroy(error)).pipe(body);
  return { body, fingerprints };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
