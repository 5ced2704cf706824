import type { FastifyRequest } from 'fastify';
import { escapeMarkup } from '../escape-markup.ts';
import type { AppError } from './errors.ts';

/** Whether a client asks for JSON rather than a page. */
export const prefersJson = ({ headers: { accept = '' } }: FastifyRequest): boolean =>
  /\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept);

const LOGIN = { title: 'Sign-in failed', heading: 'You are not signed in' };

/** The page that ends a failed login: what the person can do, and the request id for their administrator. */
export const failurePage = (
  failure: AppError,
  request: FastifyRequest,
  { title, heading } = LOGIN,
): string | undefined =>
  prefersJson(request)
    ? undefined
    : `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${heading}</h1>
<p>${escapeMarkup(failure.message)}</p>
<p><a href="/">Back to sign-in</a></p>
<p>For your administrator: request ${escapeMarkup(request.id)}</p>
</html>
`;
