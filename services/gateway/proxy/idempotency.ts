import { createHash, createHmac } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../database.ts';
import { claim, renewing } from './idempotency-lease.ts';
import type { Answer, Passing } from './upstreams.ts';

/** Bytes of the largest answer that is kept: as base64 it must fit into a document. */
const MAX_KEPT = 8 * 1024 * 1024;
/** The methods that have an effect. */
export const MUTATING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Makes a call at most once for every `Idempotency-Key` of a user and route: the same body gets the first answer
 * again, another body 409, a call that is still under way 409. Answers below 500 are kept, but for a 429 and for those
 * that say `no-store`: they hold tokens and secrets, and their calls simply run again.
 * @param call makes it, in the way that it is told.
 * @param whole the body, where it has been read already.
 */
export type Idempotency = (
  request: FastifyRequest,
  reply: FastifyReply,
  call: (passing: Passing) => Promise<Answer>,
  whole?: Buffer,
) => Promise<Answer>;

/** @param secret keys the fingerprints: bodies hold secrets, of which nobody shall find out by trying. */
export function createIdempotency(db: Database, secret: string, now: () => number): Idempotency {
  return async (request, reply, call, whole) => {
    const key = request.headers['idempotency-key'];
    const { principal } = request;
    if (key === undefined || !principal || !MUTATING.has(request.method)) {
      return call({ body: whole, signal: goneWith(reply) });
    }
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new AppError('invalidFormat', { text: 'Idempotency-Key must be 1 to 255 visible characters' });
    }
    const path = request.url.split('?', 1)[0];
    const _id = digest(JSON.stringify([principal.user._id.toHexString(), request.method, path, key]));
    const { body, fingerprint } = fingerprinted(request, whole, secret);

    const leased = await claim(db, _id, now());
    if (!leased) return repeat(db, _id, body, fingerprint);
    const endLease = renewing(db, _id, leased, now);
    const free = async () => db.idempotencyKeys.deleteOne(await endLease());
    try {
      // Without a signal: a client that goes away comes back with its key, and its call has been made.
      const { status, headers, body: said } = await call({ body });
      const { all, rest } = await upTo(MAX_KEPT, said).catch((cause) => {
        throw new AppError('unavailable', { cause });
      });
      const known = await flowed(body);
      // A 429 says itself when to come again.
      const passes = status >= 500 || status === 429;
      if (!known || passes || /\bno-store\b/i.test(String(headers['cache-control']))) await free();
      else {
        const kept = {
          status,
          headers: headers as Record<string, string>,
          body: all?.toString('base64') ?? '',
        };
        const $set = { fingerprint: fingerprint(), ...(all && { answer: kept }) };
        await db.idempotencyKeys.updateOne(await endLease(), { $set }).catch((error) => {
          request.log.error({ err: error }, 'an answer could not be kept for its Idempotency-Key');
        });
      }
      return { status, headers, body: all ?? rest };
    } catch (error) {
      await free();
      throw error;
    }
  };
}

/** A signal for when the client is gone before it has its answer. */
function goneWith({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  return gone.signal;
}

async function repeat(
  db: Database,
  _id: string,
  body: Passing['body'],
  fingerprint: () => string,
): Promise<Answer> {
  const known = await db.idempotencyKeys.findOne({ _id });
  if (known?.fingerprint === undefined) {
    throw new AppError('duplicate', { text: 'A request with this Idempotency-Key is in progress' });
  }
  if (body instanceof Readable) for await (const _ of body); // to its end, for the fingerprint
  if (known.fingerprint !== fingerprint()) {
    throw new AppError('duplicate', { text: 'This Idempotency-Key was used with a different body' });
  }
  if (!known.answer)
    throw new AppError('duplicate', { text: 'The response to this request was too large to store' });
  return { ...known.answer, body: Buffer.from(known.answer.body, 'base64') };
}

/** An answer's body: the whole of it, or, when it is larger than `most` bytes, a stream of it. */
async function upTo(most: number, body: Answer['body']): Promise<{ all?: Buffer; rest: Readable }> {
  if (!(body instanceof Readable)) return { all: Buffer.from(body as string), rest: Readable.from([]) };
  const chunks: Buffer[] = [];
  let size = 0;
  const source = body[Symbol.asyncIterator]();
  for (let next = await source.next(); !next.done; next = await source.next()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > most) {
      const rest = async function* () {
        yield* chunks;
        yield* { [Symbol.asyncIterator]: () => source };
      };
      return { rest: Readable.from(rest(), { objectMode: false }) };
    }
  }
  return { all: Buffer.concat(chunks), rest: Readable.from([]) };
}

/** Whether a body has come to its end; what an early answer left of it is read off. */
async function flowed(body: Passing['body']): Promise<boolean> {
  if (!(body instanceof Readable) || body.readableEnded) return true;
  if (body.destroyed) return false;
  return finished(body.resume()).then(
    () => true,
    () => false,
  );
}

/** The request's body, and, once it has flowed, a digest of the query, the content type and the body. */
function fingerprinted(
  request: FastifyRequest,
  whole: Buffer | undefined,
  secret: string,
): { body: Passing['body']; fingerprint: () => string } {
  const {
    'content-type': type = '',
    'content-length': length,
    'transfer-encoding': encoding,
  } = request.headers;
  const hash = createHash('sha256').update(JSON.stringify([request.url, type]));
  const fingerprint = () => createHmac('sha256', secret).update(hash.copy().digest()).digest('base64url');
  if (whole) {
    hash.update(whole);
    return { body: whole, fingerprint };
  }
  if (length === undefined && encoding === undefined) return { body: undefined, fingerprint };
  const body = new PassThrough();
  body.on('data', (chunk) => hash.update(chunk)).pause();
  request.raw.on('error', (error) => body.destroy(error)).pipe(body);
  return { body, fingerprint };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
