import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import { domainOf } from '@gatehouse/shared/identity/email';
import type { Database } from '../database.ts';

/**
 * Requires that no organization manages the address of an account, or one that it is to get.
 * @param linkedBy counts SCIM only if the organization knew the account by then.
 * @throws {AppError} forbidden if SCIM manages the account, or an organization has verified the domain of an address.
 */
export async function requireUnmanaged(
  { ssoIdentities, ssoDomains }: Pick<Database, 'ssoIdentities' | 'ssoDomains'>,
  user_id: string,
  emails: readonly string[],
  linkedBy?: Date,
): Promise<void> {
  const [identity, domain] = await Promise.all([
    ssoIdentities.findOne(
      { user_id, 'scim.user_name_key': ANY_STRING, ...(linkedBy && { created_at: { $lte: linkedBy } }) },
      { projection: { _id: 1 } },
    ),
    ssoDomains.findOne(
      { verified_domain: { $in: emails.map(domainOf) } },
      { projection: { verified_domain: 1 } },
    ),
  ]);
  if (identity)
    throw new AppError('forbidden', {
      text: 'Your organization manages your address. Please ask its administrators to change it.',
    });
  if (domain)
    throw new AppError('forbidden', {
      text: `Addresses at ${domain.verified_domain} are managed by their organization`,
    });
}
