import { audit } from '@gatehouse/shared/identity/audit';
import { emailKey } from '@gatehouse/shared/identity/email';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { hasEnded, isLive } from '@gatehouse/shared/identity/sessions';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import { ACTIVE, findActiveUser } from '@gatehouse/shared/identity/users';
import { hasRoomFor, MAX_LINKS } from '@gatehouse/shared/identity/ways-in';
import type { SocialPerson } from '@gatehouse/sso/host';
import type { Linking } from '@gatehouse/sso/records';
import { SsoRefusal } from '@gatehouse/sso/refusal';
import type { FastifyRequest } from 'fastify';
import { claimName, confirmListed } from './claim-name.ts';
import { accountOf, findName, loginNameOf } from './names.ts';
import type { LinkOptions } from './options.ts';

/**
 * Links a person at a provider to the account whose session has asked for it (CONTRACT.md §Linking). The provider's
 * address does not matter: the person has proved both sides.
 * @throws {SsoRefusal} login not begun here, linked elsewhere, too many links.
 */
export async function link(
  { db, now, wakeNotices }: LinkOptions,
  request: FastifyRequest,
  person: SocialPerson,
  { user_id, session }: Linking,
): Promise<void> {
  const _id = loginNameOf(person);
  const [found, user] = await Promise.all([findName(db, _id), findActiveUser(db.users, user_id)]);
  if (!user || hasEnded(user, session)) throw ended();
  request.sso.email = user.email;
  const linked = accountOf(found, _id);
  if (linked) {
    if (linked.user_id === user_id) return;
    throw new SsoRefusal('linked elsewhere');
  }
  if (await requiresSso(db, user, now())) throw new SsoRefusal('single sign-on required');
  if ((user.links?.length ?? 0) >= MAX_LINKS) throw new SsoRefusal('too many links');
  const email = person.email === undefined ? null : emailKey(person.email);
  if (!(await claimName(db, found?.name, { _id, user_id, email, created_at: new Date(now()) })))
    throw new SsoRefusal('linked elsewhere', 'another call was faster');
  const details = { provider: person.provider.label };
  const { matchedCount } = await db.users.updateOne(
    { _id: user._id, user_id, email: user.email, ...hasRoomFor('links', _id), ...ACTIVE, ...isLive(session) },
    withNotice(
      { $push: { links: _id } },
      newNotice({ kind: 'link_added', to: user.email, at: now(), request, details }),
    ),
  );
  // The name that stays behind opens nothing.
  if (matchedCount === 0) throw ended();
  if (!(await confirmListed(db, { _id, user_id }, now())))
    throw new SsoRefusal('linked elsewhere', 'another call was faster');
  wakeNotices();
  await audit(db, request, now(), {
    action: 'link.add',
    user_id,
    email: user.email,
    after: { provider: person.provider.name },
  });
}

const ended = () => new SsoRefusal('login not begun here', 'the session that asked for the link has ended');
