import type { ObjectId } from 'mongodb';
import { collection } from '../data/connect.ts';

/** A passkey (a WebAuthn credential). The account's record decides whether it opens anything; see identity/ways-in.ts. */
export interface Passkey {
  /** The credential id in base64url. It exists once in the whole system. */
  _id: string;
  /** Names it at the API: a credential id may be a thousand characters long. */
  passkey_id: string;
  /** The `_id` of the account. */
  account: ObjectId;
  name: string;
  /** The public key with its algorithm (COSE, RFC 9052 §7) in base64url. */
  public_key: string;
  /** The count of signatures that the authenticator last told; 0 for one that does not count. */
  counter: number;
  /** Whether it can be copied to other devices. An authenticator decides that once. */
  synced: boolean;
  /** The model of the authenticator, a UUID; nobody has vouched for it. */
  aaguid: string;
  /** How the authenticator is reached, as the browser told. */
  transports: Transport[];
  created_at: Date;
  /** To the hour. */
  last_used_at?: Date;
}

export const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** A ceremony that was used. Its challenge is accepted once. */
interface UsedCeremony {
  /** The challenge. */
  _id: string;
  expires_at: Date;
}

export const passkeyCollections = {
  passkeys: collection<Passkey>('passkeys', [{ key: { account: 1, created_at: 1 } }]),
  passkeyCeremonies: collection<UsedCeremony>('passkey_ceremonies', [
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ]),
};
