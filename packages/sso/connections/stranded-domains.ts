import { AppError } from '@gatehouse/shared/http/errors';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { type Domain, USABLE } from '@gatehouse/shared/identity/sso';
import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';

type Options = Pick<SsoOptions, 'db'>;

/** The event `domain.update` of a domain whose requirement has ended. */
type Released = Pick<AuditEvent, 'target' | 'before' | 'after' | 'organization_id'>;

/**
 * Refuses to remove the last enabled connection of a domain that requires single sign-on. Two concurrent calls may both
 * pass, because each sees the connection of the other. No person is locked out then: the requirement holds only while a
 * connection is enabled.
 * @throws {AppError} duplicate, which names the domains.
 */
export async function refuseLast(
  { db }: Options,
  { organization_id, connection_id, enabled }: Connection,
  { deleting = false } = {},
): Promise<void> {
  if (!enabled) return;
  const stranded = await strandedDomains(db, { organization_id, connection_id, deleting });
  if (stranded.length === 0) return;
  const names = stranded.map(({ domain }) => domain).join(', ');
  throw new AppError('duplicate', {
    text: `Single sign-on is required for ${names}, and this is the last enabled connection: enable another one, or send release: true to end the requirement`,
  });
}

/**
 * Ends the requirement of the domains that keep no enabled connection without this one. Idempotent.
 * @param record audits a domain that was released.
 */
export async function releaseStranded(
  { db }: Options,
  { organization_id, connection_id }: Pick<Connection, 'organization_id' | 'connection_id'>,
  record: (released: Released) => Promise<void>,
  { deleting = false } = {},
): Promise<void> {
  for (const { domain_id, domain } of await strandedDomains(db, {
    organization_id,
    connection_id,
    deleting,
  })) {
    const { modifiedCount } = await db.ssoDomains.updateOne(
      { domain_id, sso_required: true },
      { $set: { sso_required: false } },
    );
    if (modifiedCount === 0) continue;
    await record({
      target: { domain_id },
      before: { domain, sso_required: 'true' },
      after: { domain, sso_required: 'false' },
      organization_id,
    });
  }
}

/** The domains that require single sign-on and keep no enabled connection without this one. */
async function strandedDomains(
  db: Options['db'],
  {
    organization_id,
    connection_id,
    deleting,
  }: Pick<Connection, 'organization_id' | 'connection_id'> & { deleting: boolean },
): Promise<Domain[]> {
  const usable = await db.ssoConnections.distinct('connection_id', { organization_id, ...USABLE });
  const others = usable.filter((id) => id !== connection_id);
  const required = await db.ssoDomains
    .find({ organization_id, sso_required: true })
    .sort({ domain: 1 })
    .toArray();
  return required.filter(({ connection_id: bound }) => {
    // A deletion releases the domains that are bound to the connection.
    const isBound = bound !== undefined && !(deleting && bound === connection_id);
    return isBound ? !others.includes(bound) : others.length === 0;
  });
}
