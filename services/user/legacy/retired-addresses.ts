import { collection } from '@gatehouse/shared/data/connect';
import { createKeyedDigests, type Keys } from '@gatehouse/shared/data/secrets';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { Collection } from 'mongodb';

/** An address that the old system is not asked about again: it has moved, or its account was deleted here. */
interface RetiredAddress {
  /** A keyed digest of the address, which is not kept itself. */
  _id: string;
  retired_at: Date;
}

export const retiredAddressCollections = {
  retiredAddresses: collection<RetiredAddress>('retired_addresses', []),
};

type RetiredAddresses = Collection<RetiredAddress>;
type Settings = Keys & { LEGACY_LOGIN_URL?: string | undefined };

const digestsOf = (config: Settings) => createKeyedDigests(config, 'retired addresses');

/** Nothing is kept without an old system. */
export async function retireAddress(
  config: Settings,
  addresses: RetiredAddresses,
  email: string,
  now: number,
): Promise<void> {
  if (config.LEGACY_LOGIN_URL === undefined) return;
  await addresses.updateOne(
    { _id: digestsOf(config).digestOf(emailKey(email)) },
    { $setOnInsert: { retired_at: new Date(now) } },
    { upsert: true },
  );
}

export const isRetired = async (
  config: Settings,
  addresses: RetiredAddresses,
  email: string,
): Promise<boolean> =>
  (await addresses.findOne({ _id: { $in: digestsOf(config).everyDigestOf(emailKey(email)) } })) !== null;
