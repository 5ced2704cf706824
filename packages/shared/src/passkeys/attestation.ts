import { AppError } from '../http/errors.ts';
import type { Attestation } from './credentials.ts';
import { refuseForeignFrame } from './foreign-frame.ts';
import { loadLibrary } from './library.ts';
import { type Passkey, TRANSPORTS } from './records.ts';
import { refusingAlike } from './refusing-alike.ts';
import type { RelyingParty } from './relying-party.ts';

/** The algorithms that are offered and accepted (RFC 9053 §2, RFC 8812 §2): Ed25519, ES256 and RS256. */
export const ALGORITHMS = [-8, -7, -257];

/** Bytes of a credential id: fewer could be guessed, more are forbidden (Web Authentication §7.1). */
const [MIN_ID, MAX_ID] = [16, 1_023];

/** The fields of a new passkey that its authenticator reports. */
type Attested = Pick<Passkey, '_id' | 'public_key' | 'counter' | 'synced' | 'aaguid' | 'transports'>;

/**
 * Verifies a registration (Web Authentication §7.1): challenge, origin, user presence and user verification.
 * @throws {AppError} passkeyInvalid
 */
export const verifyAttestation = (
  response: Attestation,
  { party, challenge }: { party: RelyingParty; challenge: string },
): Promise<Attested> =>
  refusingAlike(async () => {
    refuseForeignFrame(response.response.clientDataJSON);
    const { verifyRegistrationResponse } = await loadLibrary();
    await refuseCertificates(response);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, response: { ...response.response, transports: [] } },
      expectedChallenge: challenge,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) throw new Error('the signature is wrong');
    const { credential, credentialDeviceType, aaguid } = registrationInfo;
    const size = Buffer.from(credential.id, 'base64url').length;
    if (credential.id !== response.id || size < MIN_ID || size > MAX_ID)
      throw new Error('the credential id is not that of the authenticator data, or has no allowed length');
    return {
      _id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      synced: credentialDeviceType === 'multiDevice',
      aaguid,
      transports: TRANSPORTS.filter((known) => response.response.transports.includes(known)),
    };
  });

/**
 * Refuses attestation with certificates, which the options do not ask for: to verify them, the library would fetch
 * revocation lists from the URLs that they name. Only `none` and self attestation remain.
 * @throws {AppError} passkeyInvalid
 */
async function refuseCertificates({ response }: Attestation): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const object = decodeAttestationObject(
    Uint8Array.from(Buffer.from(response.attestationObject, 'base64url')),
  );
  const format = object.get('fmt');
  const certified = object.get('attStmt').get('x5c') !== undefined;
  if ((format === 'none' || format === 'packed') && !certified) return;
  throw new AppError('passkeyInvalid', { cause: new Error(`unwanted attestation ${String(format)}`) });
}
