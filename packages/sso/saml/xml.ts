import { DOMParser } from '@xmldom/xmldom';

/** XML that is not well-formed, or that no provider writes. The message says what is wrong. */
export class XmlError extends Error {}

/**
 * Bounds on markup. The parser's work grows with the square of the attributes of an element and of the namespaces in
 * scope, and canonicalization recurses: a small document could otherwise hold the process up.
 */
const MAX = { attributes: 10_000, namespaces: 2_000, depth: 100 };

/**
 * Parses XML of a provider. Document types are refused: they define entities, which can expand without end or read
 * files.
 * @throws {XmlError}
 */
export function parseXml(text: string, { maxTags = 20_000 } = {}): Document {
  // The only other declarations are comments and CDATA sections.
  if (/<!(?!--|\[CDATA\[)/.test(text)) throw new XmlError('has a document type declaration');
  if (occurrences(text, /</g) > maxTags) throw new XmlError('has too many elements');
  if (occurrences(text, /=\s*["']/g) > MAX.attributes) throw new XmlError('has too many attributes');
  if (occurrences(text, /xmlns/g) > MAX.namespaces) throw new XmlError('has too many namespaces');
  const problem = (what: string) => {
    throw new XmlError(`is not well-formed XML: ${what.split('\n')[0]}`);
  };
  const errorHandler = { warning: problem, error: problem, fatalError: problem };
  const document = new DOMParser({ locator: {}, errorHandler }).parseFromString(text, 'text/xml');
  if (!document?.documentElement) throw new XmlError('is not well-formed XML');
  if (depthOf(document.documentElement) > MAX.depth) throw new XmlError('is nested too deeply');
  return document;
}

const occurrences = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

function depthOf(root: Element): number {
  let deepest = 0;
  const pending: [Element, number][] = [[root, 1]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [element, depth] = next;
    deepest = Math.max(deepest, depth);
    for (const child of childElements(element)) pending.push([child, depth + 1]);
  }
  return deepest;
}

const ELEMENT_NODE = 1;
const TEXT_NODE = 3;
const CDATA_NODE = 4;

/** Returns the child elements, all or those of one name. */
export function childElements(parent: Node, namespace?: string, name?: string): Element[] {
  const found: Element[] = [];
  for (let node = parent.firstChild; node; node = node.nextSibling) {
    if (node.nodeType !== ELEMENT_NODE) continue;
    const element = node as Element;
    if (name === undefined || (element.localName === name && element.namespaceURI === namespace))
      found.push(element);
  }
  return found;
}

/** Returns the elements of a name at any depth. */
export const descendants = (root: Document | Element, namespace: string, name: string): Element[] =>
  Array.from(root.getElementsByTagNameNS(namespace, name));

/** Returns an attribute without namespace; undefined when it is absent. */
export const attribute = (element: Element, name: string): string | undefined =>
  element.hasAttribute(name) ? (element.getAttribute(name) ?? '') : undefined;

/** Returns the whole text of an element without surrounding space: a comment does not cut it off. */
export const textOf = (element: Element): string => (element.textContent ?? '').trim();

/** Whether a document contains anything but elements and text: comments or processing instructions. */
export function hasOtherNodes(root: Node): boolean {
  const pending: Node[] = [root];
  for (let parent = pending.pop(); parent; parent = pending.pop()) {
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      if (node.nodeType === ELEMENT_NODE) pending.push(node);
      else if (node.nodeType !== TEXT_NODE && node.nodeType !== CDATA_NODE) return true;
    }
  }
  return false;
}
