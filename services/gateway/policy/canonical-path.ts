/** What RFC 3986 §3.3 lets stand in a segment as it is, but for `;`; and escapes of what has no other spelling. */
const CHARACTER = "[A-Za-z0-9._~!$&'()*+,=:@-]|%(?:20|22|3[CcEe]|5[Ee]|60|7[B-Db-d]|[89A-Fa-f][0-9A-Fa-f])";
const SEGMENT = `(?!\\.{1,2}(?:/|$))(?:${CHARACTER})+`;
const CANONICAL = new RegExp(`^/(?:${SEGMENT}(?:/${SEGMENT})*/?)?$`);

/**
 * Whether an address has one spelling: no `//`, `/./`, needless escape, `\`, `;` or absolute form, so that the
 * gateway and whatever stands before or behind it cannot read one path in two ways.
 */
export const isCanonical = (url: string): boolean => CANONICAL.test(url.split('?', 1)[0] ?? '');
