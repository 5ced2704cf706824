import type { RenderedFailure } from '@gatehouse/shared/http/error-handler';
import type { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyRequest } from 'fastify';

/** The answer to a SCIM body beyond `maxPayloadSize` (RFC 7644 §3.7.4). Other failures keep the gateway's shape. */
export function scimTooLarge(
  failure: AppError,
  { isOversized }: FastifyRequest,
): RenderedFailure | undefined {
  if (!isOversized) return undefined;
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error'];
  return {
    status: 413,
    headers: { 'content-type': 'application/scim+json; charset=utf-8' },
    body: JSON.stringify({ schemas, status: '413', detail: failure.message }),
  };
}
