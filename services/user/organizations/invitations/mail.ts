import { findActiveUser, findUserByEmail, isActive, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { Membership } from '../../access/records.ts';
import { afterResponse } from '../../after-response.ts';
import type { Database } from '../../database.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { nameInMail } from '../names.ts';
import type { Offer } from '../records.ts';

export interface MailOptions {
  config: { PUBLIC_URL: string };
  db: Database;
  mailer: Mailer;
  now: () => number;
}

/** Mails an invitation to its address. @throws {AppError} unavailable when the mail server does not accept it. */
export async function mailToAddress(
  options: MailOptions,
  { membership_id, email = '', ...place }: Membership,
  spelling = email,
): Promise<void> {
  const { config, db, mailer } = options;
  const [names, account] = await Promise.all([namesOf(db, place), findUserByEmail(db.users, email)]);
  const hasAccount = account !== null && isActive(account) && userIdOf(account) !== null;
  const to = account ?? { email: spelling };
  const fragment = { invitation_id: membership_id, ...(!hasAccount && { email: to.email }) };
  await mailer.sendInvitation(to, { ...names, url: pageOf(config, fragment), hasAccount });
}

/**
 * Mails an invitation to the account with its user_id, if there is one. The lookup comes after the response, which
 * therefore says nothing about the account, not even by its time.
 */
export const mailToUserLater = (
  options: MailOptions,
  request: FastifyRequest,
  invitation: Membership,
): void =>
  afterResponse(request, async () => {
    const { config, db, mailer } = options;
    const { membership_id, invited_id = '' } = invitation;
    const account = await findActiveUser(db.users, invited_id);
    if (!account) return;
    const url = pageOf(config, { invitation_id: membership_id });
    await mailer.sendInvitation(account, { ...(await namesOf(db, invitation)), url, hasAccount: true });
  });

/** Mails an offer to become an Owner like an invitation by user_id. */
export const mailOfferLater = (
  options: MailOptions,
  request: FastifyRequest,
  { organization_id, offer }: { organization_id: string; offer: Offer },
): void =>
  afterResponse(request, async () => {
    const { config, db, mailer } = options;
    const { invitation_id, user_id, transfer } = offer;
    const account = await findActiveUser(db.users, user_id);
    if (!account) return;
    const { organization } = await namesOf(db, { organization_id });
    await mailer.sendOffer(account, { organization, url: pageOf(config, { invitation_id }), transfer });
  });

/** Names as a mail shows them. */
async function namesOf(db: Database, place: { organization_id: string; department_id?: string }) {
  const { organization_id, department_id } = place;
  const [organization, department] = await Promise.all([
    db.organizations.findOne({ organization_id }, { projection: { name: 1 } }),
    department_id === undefined
      ? null
      : db.departments.findOne({ department_id }, { projection: { name: 1 } }),
  ]);
  return {
    organization: nameInMail(organization?.name ?? ''),
    department: nameInMail(department?.name ?? ''),
  };
}

/** The account page that mails lead to. No server sees the id and the address, which are in the fragment. */
const pageOf = ({ PUBLIC_URL }: { PUBLIC_URL: string }, fragment: Record<string, string>): string =>
  `${PUBLIC_URL}/invitation#${new URLSearchParams(fragment)}`;
