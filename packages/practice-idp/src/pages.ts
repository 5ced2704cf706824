import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { escapeMarkup } from '@gatehouse/shared/escape-markup';
import { PEOPLE } from './people.ts';

const hiddenFields = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(
      ([name, value]) => `<input type="hidden" name="${escapeMarkup(name)}" value="${escapeMarkup(value)}">`,
    )
    .join('\n');

export const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeMarkup(title)}</title>
<h1>${escapeMarkup(title)}</h1>
${body}
</html>
`;

/** Asks who is logging in. @param hidden fields that the form sends back. */
export function loginPage(action: string, hidden: Record<string, string>, problem = ''): string {
  const people = PEOPLE.map(
    ({ uid, email, password, role, department }, index) =>
      `<p><label><input type="radio" name="username" value="${uid}"${index === 0 ? ' checked' : ''}> ${email}</label><br>
${role}, ${department}; password: <code>${password}</code></p>`,
  );
  return page(
    'Practice identity provider',
    `${problem && `<p role="alert">${escapeMarkup(problem)}</p>`}
<form method="post" action="${escapeMarkup(action)}">
${hiddenFields(hidden)}
${people.join('\n')}
<p><label>Password <input type="password" name="password" autocomplete="off" autofocus></label></p>
<p><button>Log in</button></p>
</form>`,
  );
}

/** Posts a form to another site (SAML 2.0 Bindings §3.5). */
export const postingPage = (action: string, fields: Record<string, string>): string =>
  page(
    'Back to the service',
    `<form method="post" action="${escapeMarkup(action)}">
${hiddenFields(fields)}
<p><button>Continue</button></p>
</form>
<script>document.forms[0].submit()</script>`,
  );

export const messagePage = (text: string): string =>
  page('Practice identity provider', `<p>${escapeMarkup(text)}</p>`);

export const sendPage = (response: ServerResponse, html: string, status = 200): void =>
  void response
    .writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    .end(html);

export const readForm = async (request: IncomingMessage): Promise<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(await text(request)));
