import { createSign, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { escapeMarkup } from '@gatehouse/shared/escape-markup';
import { NAMESPACE, STATUS_SUCCESS } from './names.ts';

/**
 * Returns the address that tells a provider that its logout is done: a signed LogoutResponse with the HTTP-Redirect
 * binding. The library signs another encoding of RelayState than it sends.
 */
export async function logoutResponseUrl({
  address,
  issuer,
  inResponseTo,
  relayState,
  privateKey,
  now,
}: {
  address: string;
  issuer: string;
  inResponseTo: string;
  relayState: string | undefined;
  privateKey: string;
  /** Unix milliseconds. */
  now: number;
}): Promise<string> {
  const xml = [
    `<samlp:LogoutResponse xmlns:samlp="${NAMESPACE.protocol}" xmlns:saml="${NAMESPACE.assertion}"`,
    ` ID="_${randomBytes(20).toString('hex')}" Version="2.0" IssueInstant="${new Date(now).toISOString()}"`,
    ` Destination="${escapeMarkup(address)}" InResponseTo="${escapeMarkup(inResponseTo)}">`,
    `<saml:Issuer>${escapeMarkup(issuer)}</saml:Issuer>`,
    `<samlp:Status><samlp:StatusCode Value="${STATUS_SUCCESS}"/></samlp:Status></samlp:LogoutResponse>`,
  ].join('');
  const compressed = await promisify(deflateRaw)(xml);
  const octets = [
    `SAMLResponse=${encode(compressed.toString('base64'))}`,
    ...(relayState === undefined ? [] : [`RelayState=${encode(relayState)}`]),
    `SigAlg=${encode('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')}`,
  ].join('&');
  const signature = createSign('sha256').update(octets).sign(privateKey, 'base64');
  return `${address}${address.includes('?') ? '&' : '?'}${octets}&Signature=${encode(signature)}`;
}

/** Browsers encode an apostrophe in an address, which would break the signature. */
const encode = (text: string): string => encodeURIComponent(text).replaceAll("'", '%27');
