import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { languageOf } from '@gatehouse/shared/http/language';
import { audit } from '@gatehouse/shared/identity/audit';
import { emailKey, isPlainAddress } from '@gatehouse/shared/identity/email';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import type { User } from '@gatehouse/shared/identity/user-record';
import { ACTIVE, findUserByEmail, isActive, UNVERIFIED, userIdOf } from '@gatehouse/shared/identity/users';
import { hasRoomFor, MAX_LINKS } from '@gatehouse/shared/identity/ways-in';
import type { SocialPerson } from '@gatehouse/sso/host';
import { SsoRefusal } from '@gatehouse/sso/refusal';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import { withNewUserId } from '../account/user-ids.ts';
import { fullName } from '../provisioning/account.ts';
import { type Attributes, newAccount, takenOver, withUserId } from '../provisioning/find-or-create.ts';
import { claimName, confirmListed } from './claim-name.ts';
import { accountOf, type FoundName, findName, providerOf } from './names.ts';
import type { LinkOptions } from './options.ts';

/** Concurrent logins of a person are few. More failures mean an account that the lookup cannot find. */
const MAX_TRIES = 5;

interface Login {
  options: LinkOptions;
  request: FastifyRequest;
  person: SocialPerson;
  /** The login name of the person. */
  link: string;
  /** The address that the provider vouches for. */
  email: string;
  attributes: Attributes;
  found: FoundName | undefined;
}

/**
 * Creates the account of a person whose provider vouches for their address, or links the one that has the address: an
 * account is linked only if both sides have verified it.
 * @throws {SsoRefusal} when the person must prove the account first, or may not have one.
 */
export async function firstLogin(
  options: LinkOptions,
  request: FastifyRequest,
  person: SocialPerson,
  link: string,
): Promise<WithId<User>> {
  const { db, now, wakeNotices } = options;
  const email = vouchedAddress(person);
  const name =
    fullName({ firstName: person.name, lastName: undefined }) ?? email.slice(0, email.lastIndexOf('@'));
  const attributes = { name, language: languageOf(request.headers['accept-language']) };
  const { user, how } = await optimistic(
    async () => {
      const [existing, found] = await Promise.all([findUserByEmail(db.users, email), findName(db, link)]);
      // Another login of the person was faster.
      const known = accountOf(found, link);
      if (known) return { user: known, how: undefined };
      const login = { options, request, person, link, email, attributes, found };
      if (await requiresSso(db, existing ?? { email }, now()))
        throw new SsoRefusal('single sign-on required');
      if (!existing) return as('created', await create(login));
      if (existing.account_status === 'disabled')
        throw new SsoRefusal('account disabled', 'the account of this address is disabled');
      if (!existing.verified) return as('taken over', await takeOver(login, existing));
      if (!isActive(existing))
        throw new SsoRefusal('account disabled', 'the account of this address is paused');
      return as('linked', await linkVerified(login, existing));
    },
    {
      attempts: MAX_TRIES,
      refusal: () =>
        new SsoRefusal('identity mismatch', 'the account of this address could not be linked in time'),
    },
  );
  if (how) {
    wakeNotices();
    await audit(db, request, now(), {
      action: 'link.add',
      user_id: userIdOf(user),
      email: user.email,
      after: { provider: person.provider.name, account: how },
    });
  }
  return user;
}

const as = <How extends string>(how: How, user: WithId<User> | undefined) => user && { user, how };

/** @throws {SsoRefusal} when there is no address that the provider vouches for. */
function vouchedAddress({ email, emailVerified }: SocialPerson): string {
  if (email === undefined || !isPlainAddress(email)) throw new SsoRefusal('email missing');
  if (!emailVerified) throw new SsoRefusal('email not verified');
  return email;
}

/** Claims the login name for an account, which lists it in the write that follows. */
const claim = ({ options: { db, now }, link, email, found }: Login, user_id: string): Promise<boolean> =>
  claimName(db, found?.name, { _id: link, user_id, email: emailKey(email), created_at: new Date(now()) });

/** @returns undefined if another call was faster. */
async function create(login: Login): Promise<WithId<User> | undefined> {
  const { options, link, email, attributes } = login;
  const { db, now } = options;
  const insert = async (user_id: string) => {
    if (!(await claim(login, user_id))) return undefined;
    const activated_at = new Date(now());
    const user = { ...newAccount(email, attributes, now()), user_id, links: [link], activated_at };
    const { insertedId: _id } = await db.users.insertOne({ ...user });
    return { ...user, _id };
  };
  try {
    // Never the user_id of a name that is left behind: it may be that of a deleted account.
    return await withNewUserId(db, insert);
  } catch (error) {
    if (isDuplicateKey(error, 'email')) return undefined;
    throw error;
  }
}

/**
 * Gives an unverified signup to the person who owns its address, without whatever a stranger may have left on it.
 * @returns undefined if another call was faster.
 */
async function takeOver(login: Login, signup: WithId<User>): Promise<WithId<User> | undefined> {
  const { options, link, attributes } = login;
  const { db, now } = options;
  const write = async (user_id: string) => {
    if (!(await claim(login, user_id))) return undefined;
    return db.users.findOneAndUpdate(
      {
        _id: signup._id,
        ...UNVERIFIED,
        account_status: { $ne: 'disabled' },
        // Also matches a record without one.
        user_id: (signup.user_id ?? null) as string,
      },
      [
        {
          $set: {
            ...takenOver(attributes, now()),
            user_id,
            links: { $literal: [link] },
            activated_at: new Date(now()),
          },
        },
      ],
      { returnDocument: 'after' },
    );
  };
  const user_id = userIdOf(signup);
  return (await (user_id === null ? withNewUserId(db, write) : write(user_id))) ?? undefined;
}

/**
 * Links a verified account with the address that the provider vouches for. It keeps its other ways in.
 * @returns undefined if another call was faster.
 * @throws {SsoRefusal} identity mismatch if another person at the provider is linked: the address may be recycled.
 */
async function linkVerified(login: Login, existing: WithId<User>): Promise<WithId<User> | undefined> {
  const { options, request, person, link } = login;
  const { db, now } = options;
  const { links = [], email } = existing;
  if (links.some((other) => other !== link && providerOf(other) === person.provider.name))
    throw new SsoRefusal('identity mismatch', 'the account is linked to another subject of this provider');
  const account = await withUserId(db, existing);
  if (!account || !(await claim(login, account.user_id))) return undefined;
  const { _id, user_id } = account;
  if (links.includes(link)) return account;
  const details = { provider: person.provider.label };
  const linked = await db.users.findOneAndUpdate(
    {
      $and: [{ links: existing.links ?? { $exists: false } }, hasRoomFor('links', link)],
      _id,
      user_id,
      email,
      ...ACTIVE,
    },
    withNotice(
      { $push: { links: link } },
      newNotice({ kind: 'link_added', to: email, at: now(), request, details }),
    ),
    { returnDocument: 'after' },
  );
  if (!linked) {
    if (links.length >= MAX_LINKS) throw new SsoRefusal('too many links');
    return undefined;
  }
  return (await confirmListed(db, { _id: link, user_id }, now())) ? linked : undefined;
}
