import type { FastifyRequest } from 'fastify';
import { cardPage, type Page } from './card-page.ts';
import type { AppError } from './errors.ts';
import type { FailureKind } from './failure-texts/texts.ts';
import { failureText, TEXTS } from './failure-texts.ts';
import { readerOf } from './reader.ts';

export interface FailurePage extends Page {
  /** Replaces the status of the failure. */
  status?: number;
}

/** The weight of a media type that a client names; 0 for one that it does not. negotiator hides equal weights. */
function weightOf(type: string, accept: string): number {
  const range = accept
    .slice(0, 1_000)
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim().toLowerCase()))
    .find(([name]) => name === type);
  if (!range) return 0;
  return Number(range.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1) || 0;
}

/** Whether a client asks for JSON rather than a page. */
export const prefersJson = ({ headers: { accept = '' } }: FastifyRequest): boolean =>
  /\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept);

/** Whether a person opened the address: browsers name HTML, and API clients JSON or nothing. */
export const prefersPage = ({ method, headers: { accept = '' } }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  weightOf('text/html', accept) > weightOf('application/json', accept);

/** The page that ends a failed login or logout: what the person can do, and the request id for their administrator. */
export const failurePage = (
  failure: AppError,
  request: FastifyRequest,
  kind: FailureKind = 'login',
): FailurePage | undefined => (prefersJson(request) ? undefined : render(failure, request, kind));

/** The page for an address that does not exist; undefined unless a person opened it. */
export const unknownAddressPage = (failure: AppError, request: FastifyRequest): FailurePage | undefined =>
  prefersPage(request)
    ? // A person has no bearer to add: to them the address does not exist.
      { ...render(failure, request, 'address'), ...(failure.status === 401 && { status: 404 }) }
    : undefined;

/** The page that ends a logout at an identity provider that has no address for the answer. */
export function loggedOutPage(request: FastifyRequest): Page {
  const reader = readerOf(request.headers);
  return cardPage(request, reader, TEXTS[reader.language].loggedOut);
}

function render(failure: AppError, request: FastifyRequest, kind: FailureKind): FailurePage {
  const reader = readerOf(request.headers);
  const { kinds, forAdministrator } = TEXTS[reader.language];
  return cardPage(request, reader, {
    ...kinds[kind],
    text: failureText(failure, kind, reader.language),
    note: `${forAdministrator} ${request.id}`,
  });
}
