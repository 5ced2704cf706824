import type { RenderedFailure } from '@gatehouse/shared/http/error-handler';
import { AppError, type ErrorName } from '@gatehouse/shared/http/errors';

/** RFC 7644 §3.12, table 9. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness';

/** The statuses of SCIM errors, each with the failure of the table in errors.ts that is closest to it. */
const STATUSES = {
  400: 'invalidFormat',
  401: 'invalidToken',
  403: 'forbidden',
  404: 'notFound',
  405: 'notFound',
  409: 'duplicate',
  412: 'duplicate',
  413: 'invalidFormat',
} as const satisfies Record<number, ErrorName>;

/** A failure in the words of SCIM. The provider's administrator reads `detail`. */
export class ScimError extends AppError {
  override readonly status: number;
  readonly scimType: ScimType | undefined;

  constructor(status: keyof typeof STATUSES, detail: string, scimType?: ScimType) {
    super(STATUSES[status], { text: detail });
    this.status = status;
    this.scimType = scimType;
  }
}

export const invalidValue = (detail: string): ScimError => new ScimError(400, detail, 'invalidValue');
export const invalidFilter = (detail: string): ScimError => new ScimError(400, detail, 'invalidFilter');
export const notFound = (): ScimError => new ScimError(404, 'There is no such resource');
export const readOnly = (): ScimError => new ScimError(405, 'This resource can only be read');
export const changedMeanwhile = (): ScimError =>
  new ScimError(412, 'The resource has changed; read it again and repeat the request');

export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';
export const SCIM_TYPE = 'application/scim+json; charset=utf-8';

export interface ErrorBody {
  schemas: [typeof ERROR_SCHEMA];
  status: string;
  scimType?: ScimType;
  detail: string;
}

/** The body of a SCIM error (RFC 7644 §3.12). */
export function errorBody(failure: AppError): ErrorBody {
  const scimType = failure instanceof ScimError ? failure.scimType : undefined;
  return {
    schemas: [ERROR_SCHEMA],
    status: String(statusOf(failure)),
    ...(scimType ? { scimType } : isSyntax(failure) ? { scimType: 'invalidSyntax' as const } : {}),
    detail: failure.message,
  };
}

/** Renders a failure of a SCIM route. */
export function renderScimFailure(failure: AppError): RenderedFailure {
  const status = statusOf(failure);
  return {
    status,
    headers: {
      'content-type': SCIM_TYPE,
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(status === 405 && { allow: 'GET' }),
    },
    body: JSON.stringify(errorBody(failure)),
  };
}

/** A body that is too large is 413, unlike in the contracts that have no such status. */
function statusOf({ status, cause }: AppError): number {
  return (cause as { statusCode?: number } | undefined)?.statusCode === 413 ? 413 : status;
}

/** Whether the request could not be read. */
const isSyntax = (failure: AppError): boolean => !(failure instanceof ScimError) && statusOf(failure) === 400;
