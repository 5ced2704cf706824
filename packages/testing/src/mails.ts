import { setTimeout as delay } from 'node:timers/promises';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { Mailbox, Mail as Received } from '@gatehouse/standalone/mailbox/mailbox';

/** Milliseconds for a mail to arrive. */
const TIMEOUT = 10_000;

/** A mail that was sent to somebody. */
export interface Mail {
  id: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** The six digits of a mail that carries a code. */
  code?: string;
  /** The links in its text. */
  links: string[];
  /** By the clock of the instance. */
  received: Date;
}

export interface Waiting {
  /** Milliseconds for which to wait, by default 10,000. */
  timeout?: number;
}

/** What a snapshot keeps of the mails. */
export type MailState = { mails: Received[]; returned: string[]; usedCodes: string[] };

/** Reads a mailbox as a test does: by address, and waiting for what is on its way. */
export function createMails(mailbox: Mailbox) {
  const { mails } = mailbox;
  const returned = new Set<string>();
  const usedCodes = new Set<string>();

  /** Oldest first. */
  const to = (address: string): Mail[] => {
    const key = emailKey(address);
    return mails
      .filter(({ recipients }) => recipients.some((each) => emailKey(each) === key))
      .map(present)
      .reverse();
  };

  async function waitFor<T>(
    what: string,
    find: () => T | undefined,
    { timeout = TIMEOUT }: Waiting,
  ): Promise<T> {
    const until = performance.now() + timeout;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (performance.now() >= until) throw new Error(`no ${what} within ${timeout} ms`);
      await delay(5);
    }
  }

  return {
    /** Returns all mails to an address, oldest first. */
    all: to,
    /** Waits for the next mail to an address: the oldest that no call of `next` has returned. */
    async next(address: string, waiting: Waiting = {}): Promise<Mail> {
      const mail = await waitFor(
        `mail to ${address}`,
        () => to(address).find(({ id }) => !returned.has(id)),
        waiting,
      );
      returned.add(mail.id);
      return mail;
    },
    /** Waits for a code that was mailed to an address: the newest, if no call has returned it or a later one. */
    async code(address: string, waiting: Waiting = {}): Promise<string> {
      const unused = () => {
        const latest = to(address).findLast(({ code }) => code !== undefined);
        return latest && !usedCodes.has(latest.id) ? latest : undefined;
      };
      const { id, code } = await waitFor(`code for ${address}`, unused, waiting);
      usedCodes.add(id);
      return code as string;
    },
    snapshot: (): MailState => ({ mails: [...mails], returned: [...returned], usedCodes: [...usedCodes] }),
    restore(state: MailState): void {
      mails.splice(0, mails.length, ...state.mails);
      for (const [ids, kept] of [
        [returned, state.returned],
        [usedCodes, state.usedCodes],
      ] as const) {
        ids.clear();
        for (const id of kept) ids.add(id);
      }
    },
  };
}

function present({ id, received, recipients, content }: Received): Mail {
  const { subject = '', text = '', html = '' } = content;
  const code = /\b\d{6}\b/.exec(text)?.[0];
  return {
    id,
    to: recipients,
    subject,
    text,
    html,
    ...(code !== undefined && { code }),
    links: text.match(/https?:\/\/[^\s<>"]+/g) ?? [],
    received,
  };
}
