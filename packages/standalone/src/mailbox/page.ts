import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Address } from 'postal-mime';
import { z } from 'zod';
import type { Mail, Mailbox } from './mailbox.ts';

const HTML = readFileSync(new URL('page.html', import.meta.url), 'utf8');
/** The CSP hash of the page's only element with this tag: nothing from a mail runs or styles. */
const hashOf = (tag: string): string =>
  `'sha256-${createHash('sha256')
    .update(HTML.split(new RegExp(`</?${tag}>`))[1] ?? '')
    .digest('base64')}'`;
const POLICY = `default-src 'none'; script-src ${hashOf('script')}; style-src ${hashOf('style')}; img-src data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The CSP of a mail's HTML: it runs nothing and loads nothing, in the page's frame and on its own. The sandbox takes
 * its origin away; links open in a new tab.
 */
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'self'; form-action 'none'; frame-ancestors 'self'";

const LOCAL_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

const paging = z.object({
  start: z.coerce.number().int().min(0).catch(0),
  limit: z.coerce.number().int().min(1).max(1_000).catch(50),
});

/** Serves the mailbox as a page, and as JSON compatible with a subset of Mailpit's API v1. */
export function buildMailboxPage({ mails }: Mailbox): FastifyInstance {
  const app = Fastify();
  app.addHook('onRequest', async (request, reply) => {
    // Prevents DNS rebinding: another site's page could read the codes.
    if (!LOCAL_NAMES.has(request.hostname))
      return reply.code(403).send({ error: 'the host must be localhost' });
    reply.header('x-content-type-options', 'nosniff');
  });
  app.get('/', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(HTML),
  );
  app.get('/api/v1/messages', async (request) => {
    const { start, limit } = paging.parse(request.query);
    const page = mails.slice(start, start + limit);
    return { total: mails.length, count: page.length, start, messages: page.map(summary) };
  });
  app.get<{ Params: { id: string } }>('/api/v1/message/:id', async (request, reply) => {
    const mail = request.params.id === 'latest' ? mails[0] : mails.find(({ id }) => id === request.params.id);
    if (!mail) return reply.code(404).send({ error: 'message not found' });
    const { text = '', html = '', date } = mail.content;
    return { ...summary(mail), Date: date ?? mail.received.toISOString(), Text: text, HTML: html };
  });
  app.get<{ Params: { id: string } }>('/view/:id(^[\\w-]+).html', async (request, reply) => {
    const mail = mails.find(({ id }) => id === request.params.id);
    if (!mail) return reply.code(404).send({ error: 'message not found' });
    reply.headers({ 'content-security-policy': MAIL_POLICY, 'referrer-policy': 'no-referrer' });
    return reply.type('text/html; charset=utf-8').send(`${mail.content.html ?? ''}<base target="_blank">`);
  });
  app.delete('/api/v1/messages', async (_request, reply) => {
    mails.length = 0;
    return reply.type('text/plain').send('ok');
  });
  return app;
}

const person = (address: Address | undefined) => ({
  Name: address?.name ?? '',
  Address: address?.address ?? '',
});

const summary = ({ id, received, size, recipients, content }: Mail) => ({
  ID: id,
  MessageID: content.messageId ?? '',
  From: person(content.from),
  To: recipients.map((address) => ({ Name: '', Address: address })),
  Subject: content.subject ?? '',
  Created: received.toISOString(),
  Size: size,
  Snippet: (content.text ?? '').replace(/\s+/g, ' ').trim().slice(0, 250),
});
