import { createVerify } from 'node:crypto';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { SsoRefusal } from '../refusal.ts';
import { decodeMessage, type ProviderMessage, parseMessage } from './read-message.ts';

/** Bytes of a message after decompression, which could expand a small one a thousandfold. */
const MAX_INFLATED = 256 * 1024;

/** The algorithms for a signature in an address, by the hash of each. */
const HASHES: Record<string, string> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'sha512',
};

const malformed = (detail: string): never => {
  throw new SsoRefusal('message malformed', detail);
};
const refuse = (detail: string): never => {
  throw new SsoRefusal('message refused', detail);
};

/**
 * Reads a signed request of the HTTP-Redirect binding (SAML 2.0 Bindings §3.4.4.1). The signature covers the octets of
 * the address as the provider encoded them. The library would let a missing signature, SHA-1 and parameters that
 * are given twice pass.
 * @param query without the question mark.
 * @throws {SsoRefusal} message malformed or message refused.
 */
export async function readRedirect(query: string, certificates: readonly string[]): Promise<ProviderMessage> {
  const octets = new Map<string, string>();
  for (const pair of query.split('&')) {
    const name = pair.split('=', 1)[0] ?? '';
    if (octets.has(name)) return malformed(`${name.slice(0, 64)} is given more than once`);
    octets.set(name, pair);
  }
  const value = (name: string) => decode(name, octets.get(name)?.slice(name.length + 1) ?? '');
  const request = value('SAMLRequest');
  if (request === '') return malformed('SAMLRequest is missing');
  const signature = value('Signature');
  if (signature === '') return refuse('the request is not signed');
  const algorithm = value('SigAlg');
  const hash = Object.hasOwn(HASHES, algorithm) ? HASHES[algorithm] : undefined;
  if (!hash) return refuse(`the signature algorithm ${algorithm || 'without a name'} is not accepted`);
  const signed = ['SAMLRequest', 'RelayState', 'SigAlg'].flatMap((name) => octets.get(name) ?? []).join('&');
  const isSigned = certificates.some((certificate) =>
    createVerify(hash).update(signed).verify(certificate, signature, 'base64'),
  );
  if (!isSigned) return refuse('the signature is not that of the provider');
  const inflated = await promisify(inflateRaw)(decodeMessage('SAMLRequest', request), {
    maxOutputLength: MAX_INFLATED,
  }).catch(() => malformed('SAMLRequest is not compressed, or too large'));
  return parseMessage('SAMLRequest', inflated);
}

function decode(name: string, text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return malformed(`${name} has a malformed percent-encoding`);
  }
}
