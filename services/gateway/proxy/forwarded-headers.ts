import type { IncomingHttpHeaders } from 'node:http';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';

/** RFC 9110 §7.6.1: meant for the next hop alone. */
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
/** What only a gateway may say of a client, and what each hop says for itself. CGI and WSGI read `_` as `-`. */
const OURS =
  /^(?:x[-_]user[-_].*|x[-_]internal[-_].*|forwarded|x[-_]forwarded[-_].*|x[-_]real[-_]ip|x[-_]request[-_]id|host|expect)$/;
/** What this gateway says on every answer itself. */
const ANSWERED_HERE =
  /^(?:x-request-id|x-ratelimit-.*|access-control-.*|api-version|deprecation|sunset|date)$/;

const endToEnd = (headers: IncomingHttpHeaders, withheld: RegExp): IncomingHttpHeaders => {
  const named = new Set(
    String(headers.connection ?? '')
      .toLowerCase()
      .split(/\s*,\s*/),
  );
  named.delete('content-length'); // a body goes on whatever its sender says of its length
  const kept: IncomingHttpHeaders = {};
  for (const name in headers) {
    if (!HOP_BY_HOP.has(name) && !named.has(name) && !withheld.test(name)) kept[name] = headers[name];
  }
  return kept;
};

/** The headers of a call as they go on to a service: the client's own, and who he is as the gateway knows it. */
export function requestHeaders(request: FastifyRequest): IncomingHttpHeaders {
  const headers = endToEnd(request.headers, OURS);
  headers['x-request-id'] = request.id;
  headers['x-forwarded-for'] = request.ip;
  headers['x-forwarded-proto'] = request.protocol;
  headers['x-forwarded-host'] = request.host;
  const { principal } = request;
  if (principal) {
    headers['x-user-id'] = userIdOf(principal.user) ?? '';
    headers['x-user-email'] = fieldValue(principal.user.email);
    headers['x-user-plan'] = fieldValue(String(principal.user.subscription_plan ?? 'Free'));
  }
  return headers;
}

/** Old records hold what no header can: it goes as bytes of UTF-8, control characters as spaces. */
const fieldValue = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : Buffer.from(text.replaceAll(/\p{Cc}/gu, ' ')).toString('latin1');

/** The headers of a service's answer as they go on to the client. */
export const answerHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  endToEnd(headers, ANSWERED_HERE);
