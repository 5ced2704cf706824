import { eventually } from '../../fixtures/eventually.ts';
import { type Answered, postJson, send } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { mailedCode, type Services } from '../../fixtures/services.ts';

let addresses = 0;

/** An address of no account. */
export function newAddress(): string {
  addresses += 1;
  return `new-${addresses}@elsewhere.example`;
}

/** An account with a session that has just begun, and the calls that change its address. */
export async function personOf({ db, clock, mailbox, user: url }: Services, fields: object = {}) {
  const account = await newMember(db, fields);
  clock.advance(1);
  const authorization = bearerOf(account, clock.now());
  const call = (path: string, body: unknown, bearer = authorization): Promise<Answered> =>
    postJson(`${url}/api/v1/users/${path}`, body, { authorization: bearer });
  const request = (email: string, bearer?: string) => call('me/email', { email }, bearer);
  const verify = (code: string, bearer?: string) => call('me/email/verify', { code }, bearer);
  return {
    ...account,
    user_id: account.user_id as string,
    authorization,
    /** Another session of the account at this address. */
    session(email = account.email) {
      clock.advance(1);
      return bearerOf({ ...account, email }, clock.now());
    },
    request,
    verify,
    /** Changes the address with the mailed code. @returns the new bearer. */
    async change(email: string, bearer?: string): Promise<string> {
      await request(email, bearer);
      const { body } = await verify(mailedCode(mailbox, email), bearer);
      return `Bearer ${body.access_token}`;
    },
    stored: () => db.users.findOne({ _id: account._id }),
    status: async (bearer = authorization) =>
      (await send(`${url}/api/v1/users/me`, { headers: { authorization: bearer } })).status,
  };
}

export type Person = Awaited<ReturnType<typeof personOf>>;

/** The token of the newest link that was mailed to an address. */
export const mailedUndo = ({ mailbox }: Pick<Services, 'mailbox'>, email: string): Promise<string> =>
  eventually(() => {
    const mail = mailbox.mails.find(
      ({ recipients, content }) => recipients.includes(email) && content.text?.includes('/undo-email#token='),
    );
    const [, token] = /\/undo-email#token=(\S+)/.exec(mail?.content.text ?? '') ?? [];
    if (!token) throw new Error(`no link was mailed to ${email}`);
    return token;
  });

/** Opens the link. It needs no bearer. */
export const undo = (url: string, token: string): Promise<Answered> =>
  postJson(`${url}/api/v1/users/email/undo`, { token });
