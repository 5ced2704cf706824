import { expect } from 'vitest';
import { type Answered, send } from '../fixtures/http.ts';

/** What a browser carries from a provider back to Gatehouse. */
export interface Answer {
  /** The redirect URI, without a query. */
  address: string;
  fields: Record<string, string>;
  /** Whether the browser posts the fields as a form of the provider's page. */
  isPosted: boolean;
}

/**
 * A person at the page of a practice provider, to which Gatehouse has sent their browser.
 * @param form what they submit, for example `{ person: 'ada' }` or `{ refuse: '1' }`.
 */
export async function answerAt(address: string, form: Record<string, string>): Promise<Answer> {
  const headers = { accept: 'text/html' };
  const page = await send(address, { headers });
  expect({ status: page.status, body: page.body }).toMatchObject({
    status: 200,
    body: expect.stringContaining('Who are you?'),
  });
  return answerOf(await send(address, { method: 'POST', headers, body: new URLSearchParams(form) }));
}

/** Reads a redirect, or a page that posts itself. */
export function answerOf({ status, headers, body }: Answered): Answer {
  if (status === 302) {
    const url = new URL(String(headers.get('location')));
    return {
      address: url.origin + url.pathname,
      fields: Object.fromEntries(url.searchParams),
      isPosted: false,
    };
  }
  expect(status).toBe(200);
  const unescaped = (text = '') =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  const inputs = body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return {
    address: unescaped(/<form method="post" action="([^"]*)">/.exec(body)?.[1]),
    fields: Object.fromEntries(
      [...inputs].map(([, name, value]: string[]) => [unescaped(name), unescaped(value)]),
    ),
    isPosted: true,
  };
}
