import { tooSlow } from '@gatehouse/shared/data/time-limit';
import { isTooCostly } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/user-record';
import { hasPasskey, hasPassword } from '@gatehouse/shared/identity/ways-in';
import { relyingPartyOf } from '@gatehouse/shared/passkeys/relying-party';
import type { WithId } from 'mongodb';
import { providerOf } from '../../../links/names.ts';
import { usableLinks } from '../../../links/usable-links.ts';
import { type MailCounts, recentMails } from '../../figures/mails.ts';
import type { AdminDependencies } from '../../operation.ts';
import { type History, readHistory } from './history.ts';
import { isUnreadable } from './password.ts';
import { readSso, type Sso } from './sso.ts';

/** What the findings rest on. */
export interface Facts extends History {
  user: WithId<User>;
  /** Unix milliseconds. */
  now: number;
  sso: Sso;
  hasPasskeysHere: boolean;
  mails: MailCounts;
  /** The ways to log in that the account and the settings have, as people name them. */
  ways: string[];
}

/** Reads what is known about the logins of a person, at the same time. @throws {AppError} unavailable */
export async function readFacts(
  { config, db, now: clock }: Pick<AdminDependencies, 'config' | 'db' | 'now'>,
  user: WithId<User>,
): Promise<Facts> {
  const now = clock();
  const [sso, links, history, mails] = await Promise.all([
    readSso(db, user, now),
    usableLinks({ config, db }, user),
    readHistory(db, user, now).catch(tooSlow('The audit of this person takes too long to read')),
    recentMails(db, now),
  ]);
  const hasPasskeysHere = relyingPartyOf(config) !== undefined;
  const own = [
    ...(hasPassword(user) && !isTooCostly(user) && !isUnreadable(user) ? ['password'] : []),
    ...(hasPasskeysHere && hasPasskey(user) ? ['passkey'] : []),
    ...new Set(links.map((link) => labelOf(config, link))),
    ...(config.LOGIN_BY_CODE ? ['mailed code'] : []),
  ];
  const ways = [...(sso.isRequired ? [] : own), ...(sso.isOpen ? ['single sign-on'] : [])];
  return { user, now, sso, hasPasskeysHere, mails, ways, ...history };
}

const labelOf = ({ SOCIAL }: Pick<AdminDependencies['config'], 'SOCIAL'>, link: string): string => {
  const name = providerOf(link);
  return SOCIAL.find((client) => client.name === name)?.label ?? name;
};
