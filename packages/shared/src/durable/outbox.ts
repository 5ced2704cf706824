import type { FastifyBaseLogger } from 'fastify';
import type { Document } from 'mongodb';
import { bounded } from '../data/bounded.ts';

/** A mail that a stored notice asks for. */
interface Mail {
  user_id: string;
  /** Resolves once the mail server has accepted the mail. */
  send: () => Promise<unknown>;
  /** The update that takes the mail out of the outbox. */
  sent: Document;
}

interface Options {
  /** Renews the lease on the document that is the outbox, with another update. @returns false when it is lost. */
  renew: (update: Document) => Promise<boolean>;
  isStopping: () => boolean;
  log: Pick<FastifyBaseLogger, 'warn'>;
  /** Logged when a mail is not accepted. */
  failure: string;
}

/**
 * Sends the mails of an outbox while its lease is held. The write that renews the lease takes a mail out once the mail
 * server has accepted it, so a kill repeats at most the mail in flight. A mail that is not accepted stays, and is tried
 * again when the lease ends. A holder that is too slow stops at its next write.
 * @returns `interrupted` when the lease is lost or the service stops.
 */
export async function sendAll(
  mails: readonly Mail[],
  { renew, isStopping, log, failure }: Options,
): Promise<'sent' | 'failed' | 'interrupted'> {
  let result: 'sent' | 'failed' = 'sent';
  for (const { user_id, send, sent } of mails) {
    if (isStopping()) return 'interrupted';
    const isSent = await send().then(
      () => true,
      (error: unknown) => {
        log.warn({ err: error, user_id }, failure);
        result = 'failed';
        return false;
      },
    );
    if (!(await bounded(renew(isSent ? sent : {})))) return 'interrupted';
  }
  return result;
}
