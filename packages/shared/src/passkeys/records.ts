import type { ObjectId } from 'mongodb';
import { collection } from '../data/connect.ts';

/** A passkey (a WebAuthn credential). It counts only while the user record lists it; see identity/ways-in.ts. */
export interface Passkey {
  /** The credential id in base64url. It exists once in the whole system. */
  _id: string;
  /** Its id in the API: a credential id may be a thousand characters long. */
  passkey_id: string;
  /** The `_id` of the account. */
  account: ObjectId;
  name: string;
  /** The public key with its algorithm (COSE, RFC 9052 §7) in base64url. */
  public_key: string;
  /** The latest signature counter of the authenticator; 0 if it keeps none. */
  counter: number;
  /** Whether it can be copied to other devices (its backup eligibility), which never changes. */
  synced: boolean;
  /** The model of the authenticator, an unverified UUID. */
  aaguid: string;
  /** How the authenticator is reached, as the browser reports it. */
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
