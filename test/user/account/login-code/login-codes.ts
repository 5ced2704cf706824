import { eventually } from '../../../fixtures/eventually.ts';
import { postForm, postJson } from '../../../fixtures/http.ts';
import type { Services } from '../../../fixtures/services.ts';

type Where = Pick<Services, 'user' | 'mailbox' | 'db'>;

export const codePost = (where: Pick<Where, 'user'>, fields: object, headers = {}) =>
  postJson(`${where.user}/api/v1/auth/login/code`, fields, headers);
export const verifyPost = (where: Pick<Where, 'user'>, fields: object, headers = {}) =>
  postJson(`${where.user}/api/v1/auth/login/code/verify`, fields, headers);
export const directVerify = (where: Pick<Where, 'user'>, fields: Record<string, string>, headers = {}) =>
  postForm(`${where.user}/v2/login/code/verify`, fields, headers);

/** The mails to an address with a login code, newest first. */
export const codeMails = ({ mailbox }: Pick<Where, 'mailbox'>, email: string) =>
  mailbox.mails.filter(
    ({ recipients, content }) => recipients.includes(email) && content.text?.includes('/code-login#'),
  );

/** The audit events of requests for a code, oldest first. */
export const requestsFor = ({ db }: Pick<Where, 'db'>, email: string) =>
  db.auditEvents
    .find(
      { action: 'login.code', email: email.toLowerCase() },
      { projection: { _id: 0, unlinked: 0, salts: 0 } },
    )
    .sort({ event_id: 1 })
    .toArray();

/** Asks for a code and waits until it is mailed. */
export async function newCode(where: Where, email: string, headers = {}) {
  const earlier = (await requestsFor(where, email)).length;
  const { status, body } = await codePost(where, { email }, headers);
  if (status !== 200) throw new Error(`asking for a code is answered with ${status}`);
  await eventually(async () => (await requestsFor(where, email)).length > earlier);
  const text = codeMails(where, email)[0]?.content.text;
  const code = /\b\d{6}\b/.exec(text ?? '')?.[0];
  if (!code) throw new Error(`no code was mailed to ${email}`);
  return { code, token: body.token as string };
}
