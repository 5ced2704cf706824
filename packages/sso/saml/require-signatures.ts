import { SsoRefusal } from '../refusal.ts';
import { ACCEPTED, NAMESPACE } from './names.ts';
import { attribute, childElements, descendants } from './xml.ts';

/** Characters of a list such as `xs xsi`. */
const MAX_PREFIXES = 200;

const refuse = (detail: string): never => {
  throw new SsoRefusal('message refused', detail);
};

/**
 * Checks how the signatures in a message are made, before the library verifies them: each is a child of an element
 * that may be signed, refers to just that element, and uses accepted algorithms. The library would accept SHA-1.
 * @param signable the elements that may have a signature. @returns those that have one.
 */
export function requireStrongSignatures(root: Element, signable: readonly Element[]): Element[] {
  const signed: Element[] = [];
  for (const signature of descendants(root, NAMESPACE.signature, 'Signature')) {
    const parent = signable.find((element) => element === signature.parentNode);
    if (!parent) return refuse('a signature is at a place where none may be');
    if (signed.includes(parent)) return refuse('an element has two signatures');
    signed.push(parent);

    const [reference, anotherReference] = descendants(signature, '*', 'Reference');
    if (!reference || anotherReference) return refuse('a signature does not have exactly one reference');
    const id = attribute(parent, 'ID');
    if (!id || attribute(reference, 'URI') !== `#${id}`) return refuse('a signature covers another element');
    requireAlgorithms(signature, 'SignatureMethod', ACCEPTED.signature);
    requireAlgorithms(signature, 'DigestMethod', ACCEPTED.digest);
    requireAlgorithms(signature, 'Transform', ACCEPTED.transform);
    // Canonicalization looks every prefix up for every element.
    const lists = descendants(signature, '*', 'InclusiveNamespaces');
    if (lists.some((list) => (attribute(list, 'PrefixList') ?? '').length > MAX_PREFIXES))
      return refuse('a signature lists too many prefixes');
    if (childElements(signature, NAMESPACE.signature, 'Object').length > 0)
      return refuse('a signature contains objects');
  }
  return signed;
}

/** Requires every element of a name to use one of these algorithms. */
export function requireAlgorithms(root: Element, name: string, accepted: readonly string[]): void {
  for (const element of descendants(root, '*', name)) {
    const algorithm = attribute(element, 'Algorithm') ?? '';
    if (!accepted.includes(algorithm)) refuse(`the ${name} ${algorithm || 'without a name'} is not accepted`);
  }
}
