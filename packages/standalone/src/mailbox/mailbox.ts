import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** The number of mails kept; the oldest is dropped first. */
const CAPACITY = 1_000;
const MAX_BYTES = 1024 * 1024;

export interface Mail {
  id: string;
  received: Date;
  size: number;
  /** Envelope recipients, not those of the To header. */
  recipients: string[];
  content: Email;
}

/** Starts an SMTP server that accepts every mail and relays none. */
export async function startMailbox({
  host = '127.0.0.1',
  port,
  now = Date.now,
  isDown = () => false,
}: {
  host?: string;
  port: number;
  /** Returns Unix milliseconds. */
  now?: () => number;
  /** Whether mails are refused for the moment. */
  isDown?: () => boolean;
}) {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    size: MAX_BYTES,
    onMailFrom(_address, _session, done) {
      done(isDown() ? Object.assign(new Error('Try again later'), { responseCode: 451 }) : null);
    },
    async onData(stream, session, done) {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk);
        if (stream.sizeExceeded)
          return done(Object.assign(new Error('Message too big'), { responseCode: 552 }));
        const raw = Buffer.concat(chunks);
        mails.unshift({
          id: randomUUID(),
          received: new Date(now()),
          size: raw.length,
          recipients: session.envelope.rcptTo.map(({ address }) => address),
          content: await PostalMime.parse(raw),
        });
        mails.length = Math.min(mails.length, CAPACITY);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  server.on('error', () => {}); // a client's broken connection must not stop the server
  return {
    port: (server.server.address() as AddressInfo).port,
    /** Newest first. */
    mails,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

export type Mailbox = Awaited<ReturnType<typeof startMailbox>>;
