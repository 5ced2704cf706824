import type { Clock } from '../../fixtures/clock.ts';
import { errorEnvelope } from '../../fixtures/envelope.ts';

const envelope = (code: string, message: string, details: unknown, { now }: Clock) =>
  errorEnvelope(code, message, { details, at: now() });

export const notFound = (clock: Clock) => ({
  status: 404,
  body: envelope('RESOURCE_NOT_FOUND', 'Not found', 'Not found', clock),
});

export const userNotFound = (clock: Clock) => ({
  status: 404,
  body: envelope('RESOURCE_NOT_FOUND', 'User not found', 'User not found', clock),
});

export const forbidden = (clock: Clock, details = 'Forbidden') => ({
  status: 403,
  body: envelope('FORBIDDEN', 'Forbidden', details, clock),
});

export const noBearer = (clock: Clock) => ({
  status: 401,
  body: envelope('INVALID_TOKEN', 'No authorization header', 'No authorization header', clock),
});

export const malformed = (details: unknown, clock: Clock) => ({
  status: 400,
  body: envelope('INVALID_FORMAT', 'The request is malformed', details, clock),
});

export const missing = (details: string, clock: Clock) => ({
  status: 400,
  body: envelope('MISSING_FIELD', 'A required field is missing', details, clock),
});

export const duplicate = (clock: Clock, details = 'Resource already exists') => ({
  status: 409,
  body: envelope('DUPLICATE_RESOURCE', 'Resource already exists', details, clock),
});

/** Unknown ids, spelled as in a path. */
export const STRANGE_IDS = [
  '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
  '__proto__',
  'constructor',
  'create',
  '$ne',
  '%7B%22%24ne%22%3Anull%7D',
  '%00',
  '%F0%9F%A4%96',
  '%EF%BF%BD',
  '%252e%252e',
  '..%2Fcreate',
  'a%0d%0ab',
  'null',
  '*',
  'x'.repeat(100),
  'x'.repeat(10_000),
  '%zz',
  '%ff',
  '%ED%A0%80',
];
