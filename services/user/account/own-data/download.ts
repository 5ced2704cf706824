import { spendAll } from '@gatehouse/shared/data/sliding-budget';
import { emailKey } from '@gatehouse/shared/identity/email';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import { sendNothing, sendStream } from '../../send-stream.ts';
import { operation } from '../operation.ts';
import { render } from './render.ts';
import { ownData, SECTIONS } from './sections.ts';

/** Downloads of one account within a day. */
const PER_DAY = 3;
const DAY = 86_400;

/** CONTRACT.md §Own data. */
export const downloadOwnData = operation('GET /api/v1/users/me/data', {
  needs: 'own',
  fresh: true,
  returnsSecret: true,
  summary: 'Download your own data',
  description: `Streams what the service keeps about the caller as one file: profile, other addresses, second factor, live sessions, organizations with roles, chatbots, invitations, webhooks, identities at providers of organizations, links to other providers, and the caller’s audit events. It holds no password, secret, code or digest. ${PER_DAY} downloads a day, also those that break off; a mail tells of the first one. HEAD counts none.`,
  returns: ownData,
  fails: ['rateLimited'],
  audits: ['account.export'],
  async handle({ db, locate, now, request, reply, caller: user_id, wakeNotices, audit }) {
    const { user } = principalOf(request);
    reply.headers({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="my-data.json"',
      'cache-control': 'no-store',
    });
    if (request.method === 'HEAD') return sendNothing(reply);
    const at = now();
    const budget = { key: `data of ${user._id.toHexString()}`, limit: PER_DAY, seconds: DAY };
    await spendAll(db, [budget], at);
    if (await tellPerson(db, user, request, at)) wakeNotices();
    await audit('account.export');
    const subject = { db, locate, request, user, user_id, email: emailKey(user.email), at };
    return sendStream(reply, render(SECTIONS, subject));
  },
});

/** Tells the person of the first download of a day. @returns whether this was the first one. */
async function tellPerson(
  { users }: Database,
  { _id, email }: WithId<User>,
  request: FastifyRequest,
  at: number,
): Promise<boolean> {
  const { matchedCount } = await users.updateOne(
    { _id, data_notice_at: { $not: { $gt: new Date(at - DAY * 1000) } } },
    withNotice(
      { $set: { data_notice_at: new Date(at) } },
      newNotice({ kind: 'data_downloaded', to: email, at, request, details: {} }),
    ),
  );
  return matchedCount === 1;
}
