import { domainOf, isPlainAddress } from '@gatehouse/shared/identity/email';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { Profile } from '@gatehouse/sso/profile';
import { SsoRefusal } from '@gatehouse/sso/refusal';
import type { Database } from '../database.ts';

/** Returns the address of a profile. @throws {SsoRefusal} when there is none that the provider vouches for. */
export function vouchedAddress({ name }: Connection, { email, emailVerified }: Profile): string {
  if (email === undefined) throw new SsoRefusal('email missing');
  if (!isPlainAddress(email))
    throw new SsoRefusal('email missing', 'the attribute of the e-mail is not a plain address');
  if (!emailVerified)
    throw new SsoRefusal('email not verified', '', undefined, {
      text: `${name} does not confirm your e-mail address. Ask your administrator to mark it as verified at ${name}, so that it sends email_verified: true.`,
    });
  return email;
}

/** Whether a connection's organization has verified the domain of an address. */
export async function isOwnAddress(
  db: Database,
  { organization_id }: Connection,
  email: string,
): Promise<boolean> {
  const own = await db.ssoDomains.findOne(
    { verified_domain: domainOf(email), organization_id },
    { projection: { _id: 1 } },
  );
  return own !== null;
}

/**
 * Requires that the connection's organization has verified the domain of an address. Without this rule, the provider
 * of one organization could open the accounts of another.
 * @throws {SsoRefusal} foreign domain.
 */
export async function requireOwnDomain(db: Database, connection: Connection, email: string): Promise<void> {
  if (!(await isOwnAddress(db, connection, email))) throw foreignDomain(domainOf(email));
}

export const foreignDomain = (domain: string): SsoRefusal =>
  new SsoRefusal('foreign domain', `the organization has not verified ${domain}`);
