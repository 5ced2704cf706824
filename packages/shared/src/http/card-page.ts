import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { escapeMarkup } from '../escape-markup.ts';
import { colorScheme, darkMedia, type Reader, type Theme } from './reader.ts';
import { DOCUMENT_HEADERS } from './response-headers.ts';

/** The brand of the account pages. */
export interface Brand {
  BRAND_NAME: string;
  BRAND_LOGO_URL?: string | undefined;
  BRAND_COLOR: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The brand of the pages that this server shows; undefined for one without pages. */
    brand: Brand | undefined;
  }
}

export interface Page {
  headers: Record<string, string>;
  body: string;
}

interface Card {
  title: string;
  heading: string;
  text: string;
  /** The text of the link to the start page. */
  way: string;
  note?: string;
}

/** A page of one card: what has happened, and where to go from here. */
export function cardPage(
  request: FastifyRequest,
  { language, theme }: Reader,
  { title, heading, text, way, note }: Card,
): Page {
  const { BRAND_NAME, BRAND_LOGO_URL: logo, BRAND_COLOR } = brandOf(request.server);
  const style = styleOf(BRAND_COLOR, theme);
  const digest = createHash('sha256').update(style).digest('base64');
  const image = logo === undefined ? "'none'" : logo.startsWith('/') ? "'self'" : new URL(logo).origin;
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${digest}'; img-src ${image}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      ...DOCUMENT_HEADERS,
      'cache-control': 'no-store',
    },
    body: `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${colorScheme(theme)}">
<title>${title} · ${escapeMarkup(BRAND_NAME)}</title>
<style>${style}</style>
</head>
<body>
<header>${logo === undefined ? '' : `<img src="${escapeMarkup(logo)}" alt="" height="28">`}<span>${escapeMarkup(BRAND_NAME)}</span></header>
<main>
<h1>${heading}</h1>
<p>${escapeMarkup(text)}</p>
<a href="/">${way}</a>
${
  note === undefined
    ? ''
    : `<small>${escapeMarkup(note)}</small>
`
}</main>
</body>
</html>
`,
  };
}

const brandOf = ({ brand }: FastifyInstance): Brand =>
  brand ?? { BRAND_NAME: 'Gatehouse', BRAND_COLOR: '#3451d1' };

/** One card, as on the account pages. The page loads nothing, so its style is in it; the policy names its digest. */
const styleOf = (color: string, theme: Theme | undefined): string =>
  `
:root{--accent:color-mix(in oklab,${color},black 4%);--page:#f6f7f9;--surface:#fff;--text:#1a1d24;--muted:#5c6370;--border:#d9dce3}
@media ${darkMedia(theme)}{:root{--accent:color-mix(in oklab,${color},white 12%);--page:#0f1115;--surface:#171a20;--text:#e8eaf0;--muted:#a0a7b5;--border:#2b303a}}
*{box-sizing:border-box}
body{margin:0;padding:clamp(24px,10vh,96px) 16px 48px;font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--page);overflow-wrap:anywhere}
header,main{max-width:400px;margin:0 auto}
header{display:flex;align-items:center;justify-content:center;gap:10px;font-weight:650}
main{display:grid;gap:16px;margin-top:24px;padding:24px 20px;background:var(--surface);border:1px solid var(--border);border-radius:14px}
h1,p{margin:0}
h1{font-size:1.375rem;line-height:1.3}
a{padding:10px 16px;font-weight:600;text-align:center;text-decoration:none;color:#fff;background:var(--accent);border-radius:10px}
a:focus-visible{outline:2px solid var(--text);outline-offset:2px}
small{color:var(--muted)}
`.trim();
