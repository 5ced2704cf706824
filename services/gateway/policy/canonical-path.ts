/** RFC 3986 §3.3 pchar without `;`, and only those percent-encodings that have no other spelling. */
const CHARACTER = "[A-Za-z0-9._~!$&'()*+,=:@-]|%(?:20|22|3[CcEe]|5[Ee]|60|7[B-Db-d]|[89A-Fa-f][0-9A-Fa-f])";
/** Neither `.` nor `..`; nor `..x` and `x..`, which @fastify/reply-from takes for `..`. */
const SEGMENT = `(?!\\.\\.|\\.(?:/|$))(?:${CHARACTER})+(?<!\\.\\.)`;
const CANONICAL = new RegExp(`^/(?:${SEGMENT}(?:/${SEGMENT})*/?)?$`);

/**
 * Whether a path has only one spelling (CONTRACT.md §Paths). Otherwise the gateway and the servers in front of it and
 * behind it could disagree about which path was requested.
 */
export const isCanonical = (url: string): boolean => CANONICAL.test(url.split('?', 1)[0] ?? '');
