import { ERRORS } from './errors.ts';
import { type Failure, GatehouseError } from './failure.ts';

const NAMES = Object.keys(ERRORS) as (keyof typeof ERRORS)[];

/** What a failure is whose text the table does not have, because it names a field or a limit. */
const BY_STATUS: Record<number, keyof typeof ERRORS> = {
  400: 'invalidFormat',
  401: 'invalidToken',
  403: 'forbidden',
  404: 'notFound',
  409: 'duplicate',
  429: 'rateLimited',
  500: 'internal',
  503: 'unavailable',
};

/** Reads the failure that a response tells, in the shape of either contract. @param body its JSON, if it has one. */
export function readFailure(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
): Failure {
  const { error, detail, ...rest } = recordOf(body);
  const envelope = recordOf(error);
  const known =
    NAMES.find((name) => isRow(name, status, envelope.code, error ? envelope.message : detail)) ??
    NAMES.find((name) => isRow(name, status, envelope.code)) ??
    (typeof detail === 'string' ? BY_STATUS[status] : undefined);
  const text = [detail, envelope.details, envelope.message].find((each) => typeof each === 'string');
  return new GatehouseError(known ?? 'unexpected', (text as string) ?? `HTTP ${status}`, {
    status,
    code: (envelope.code as string) ?? (known ? ERRORS[known][2] : ''),
    details: error ? recordOf(envelope.details) : rest,
    retryAfter: Number(headers.get('retry-after')) || undefined,
    requestId: (envelope.request_id as string) ?? headers.get('x-request-id') ?? '',
  }) as Failure;
}

/** Whether a row of the table has this status and this text or, without one, this code. */
function isRow(name: keyof typeof ERRORS, status: number, code: unknown, text?: unknown): boolean {
  const row = ERRORS[name];
  return row[0] === status && (text === undefined ? row[2] === code : row[1] === text);
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
