import type { IncomingHttpHeaders } from 'node:http';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';

/** RFC 9110 §7.6.1. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Headers that clients may not forge, and those that each hop sets. CGI and WSGI read `_` as `-`. */
const SET_BY_GATEWAY =
  /^(?:x[-_]user[-_].*|x[-_]internal[-_].*|x[-_]gatehouse[-_].*|forwarded|x[-_]forwarded[-_].*|x[-_]real[-_]ip|x[-_]request[-_]id|host|expect)$/;
/** Headers that make some frameworks serve another path or method than the one that the gateway has checked. */
const OVERRIDES =
  /^x[-_](?:(?:original|rewrite|override|envoy)[-_].*|(?:http[-_])?(?:method|url|path|host)(?:[-_]override)?)$/;
/** Response headers that the gateway sets itself. */
const SET_ON_RESPONSE =
  /^(?:x-request-id|x-ratelimit-.*|access-control-.*|api-version|deprecation|sunset|date)$/;

const endToEnd = (headers: IncomingHttpHeaders, ...withheld: RegExp[]): IncomingHttpHeaders => {
  const named = new Set(
    String(headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  named.delete('content-length'); // Connection cannot remove the framing of the body
  const kept: IncomingHttpHeaders = {};
  for (const name in headers) {
    const isWithheld = HOP_BY_HOP.has(name) || named.has(name) || withheld.some((names) => names.test(name));
    if (!isWithheld) kept[name] = headers[name];
  }
  return kept;
};

/** The headers of a forwarded request: the client's end-to-end headers and the caller's identity. */
export function forwardedRequestHeaders(request: FastifyRequest): IncomingHttpHeaders {
  const headers = endToEnd(request.headers, SET_BY_GATEWAY, OVERRIDES);
  headers['x-request-id'] = request.id;
  headers['x-forwarded-for'] = request.ip;
  headers['x-forwarded-proto'] = request.protocol;
  headers['x-forwarded-host'] = request.host;
  const { principal } = request;
  if (principal) {
    headers['x-user-id'] = userIdOf(principal.user) ?? '';
    headers['x-user-email'] = fieldValue(principal.user.email);
    if (principal.key) headers['x-user-key-id'] = principal.key._id;
    headers['x-user-plan'] = fieldValue(String(principal.user.subscription_plan ?? 'Free'));
    const { support } = principal.session;
    if (support) headers['x-gatehouse-operator'] = fieldValue(support.operator);
  }
  return headers;
}

/** Imported records may hold non-ASCII text: it is sent as UTF-8 bytes, with control characters as spaces. */
const fieldValue = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : Buffer.from(text.replaceAll(/\p{Cc}/gu, ' ')).toString('latin1');

/** The headers of an upstream's response as they are sent to the client. */
export const forwardedResponseHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  endToEnd(headers, SET_ON_RESPONSE);
