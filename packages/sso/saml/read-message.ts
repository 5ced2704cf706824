import { isUtf8 } from 'node:buffer';
import { SsoRefusal } from '../refusal.ts';
import { hasOtherNodes, parseXml, XmlError } from './xml.ts';

/** A message of a provider, not verified yet. */
export interface ProviderMessage {
  xml: string;
  root: Element;
}

/** Opening and closing tags. Before a signature is found invalid, each of its elements costs about 0.2 ms. */
const MAX_TAGS = 2_000;

const malformed = (detail: string): never => {
  throw new SsoRefusal('message malformed', detail);
};

/**
 * Reads a message of the HTTP-POST binding.
 * @param name of its form field, for the operator.
 * @throws {SsoRefusal} message malformed.
 */
export const readMessage = (name: string, base64: string): ProviderMessage =>
  parseMessage(name, decodeMessage(name, base64));

/** @throws {SsoRefusal} message malformed. */
export function decodeMessage(name: string, base64: string): Buffer {
  const packed = base64.replace(/[\r\n]/g, '');
  // Buffer.from would skip other characters, such as those of an encoding on top.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) return malformed(`${name} is not Base64`);
  return Buffer.from(packed, 'base64');
}

/** @throws {SsoRefusal} message malformed. */
export function parseMessage(name: string, bytes: Buffer): ProviderMessage {
  if (!isUtf8(bytes)) return malformed(`${name} is not UTF-8`);
  const xml = bytes.toString('utf8');
  try {
    const root = parseXml(xml, { maxTags: MAX_TAGS }).documentElement;
    // No provider writes comments, and signatures do not cover them.
    if (hasOtherNodes(root)) return malformed(`${name} has comments or processing instructions`);
    return { xml, root };
  } catch (error) {
    if (error instanceof XmlError) return malformed(`${name} ${error.message}`);
    throw error;
  }
}
