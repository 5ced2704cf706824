import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { cardPage, type Page } from './card-page.ts';
import type { AppError } from './errors.ts';
import { type FailureKind, failureText, TEXTS } from './failure-texts.ts';
import { languageOf } from './language.ts';

export interface FailurePage extends Page {
  /** Replaces the status of the failure. */
  status?: number;
}

/** Whether a client asks for JSON rather than a page. */
export const prefersJson = ({ headers: { accept = '' } }: FastifyRequest): boolean =>
  /\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept);

/** Whether a person opened the address: browsers prefer HTML, and API clients JSON or anything. */
export const prefersPage = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  new Negotiator({ headers }).mediaType(['application/json', 'text/html']) === 'text/html';

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
  const language = languageOf(request.headers['accept-language']);
  return cardPage(request, language, TEXTS[language].loggedOut);
}

function render(failure: AppError, request: FastifyRequest, kind: FailureKind): FailurePage {
  const language = languageOf(request.headers['accept-language']);
  const { kinds, forAdministrator } = TEXTS[language];
  return cardPage(request, language, {
    ...kinds[kind],
    text: failureText(failure, kind, language),
    note: `${forAdministrator} ${request.id}`,
  });
}
