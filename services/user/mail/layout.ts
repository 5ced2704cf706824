import type { Config } from '@gatehouse/shared/config';
import { escapeMarkup } from '@gatehouse/shared/escape-markup';
import type { Language } from '@gatehouse/shared/http/language';

/** The brand of a mail, which is also that of the account pages. */
export type MailBrand = Pick<Config<'user'>, 'BRAND_NAME' | 'BRAND_LOGO_URL' | 'BRAND_COLOR' | 'PUBLIC_URL'>;

/**
 * A paragraph; plain text may hold several. A code is shown large, an address as a link with the name of its host, and
 * facts one below the other.
 */
export type Paragraph =
  | string
  | { facts: readonly (readonly [label: string, value: string])[] }
  | { text: string; code: string }
  | { text: string; url: string; after?: string };

/** The text alternative of a mail. */
export function textOf(content: readonly Paragraph[], { BRAND_NAME }: MailBrand): string {
  const paragraphs = content.map((paragraph) => {
    if (typeof paragraph === 'string') return paragraph;
    if ('facts' in paragraph) return paragraph.facts.map((fact) => fact.join(': ')).join('\n');
    if ('code' in paragraph) return `${paragraph.text} ${paragraph.code}`;
    const { text, url, after } = paragraph;
    return `${text} ${url}${after ? `\n${after}` : ''}`;
  });
  return `${paragraphs.join('\n\n')}\n\n-- \n${BRAND_NAME}`;
}

/** The HTML of a mail: one column with inline styles, which every mail program shows. */
export function htmlOf(content: readonly Paragraph[], brand: MailBrand, language: Language): string {
  const { BRAND_NAME, BRAND_COLOR } = brand;
  const name = escapeMarkup(BRAND_NAME);
  const logo = logoOf(brand);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${name}</title>
<style>
@media (prefers-color-scheme: dark) {
  .page { background: #0f1115 !important; }
  .card { background: #171a20 !important; border-color: ${BRAND_COLOR} #2b303a #2b303a !important; }
  .card, .code, .brand { color: #e8eaf0 !important; }
  .code { background: #22272f !important; }
}
</style>
</head>
<body class="page" style="margin: 0; padding: 0; background: #f6f7f9;">
<table class="page" role="presentation" width="100%" cellspacing="0" cellpadding="0" style="background: #f6f7f9;">
<tr><td align="center" style="padding: 32px 16px;">
<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="max-width: 480px;">
<tr><td class="brand" style="padding: 0 0 16px; font: 600 16px/24px ${FONT}; color: #1a1d24;">${logo}${name}</td></tr>
<tr><td class="card" style="padding: 28px 28px 12px; background: #fff; border: 1px solid #d9dce3; border-top: 4px solid ${BRAND_COLOR}; border-radius: 12px; color: #1a1d24; font: 16px/24px ${FONT};">
${content.flatMap((paragraph) => blocks(paragraph, brand)).join('\n')}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

function blocks(paragraph: Paragraph, { BRAND_COLOR }: MailBrand): string[] {
  if (typeof paragraph === 'string') return paragraph.split('\n\n').map(block);
  if ('facts' in paragraph) {
    const lines = paragraph.facts.map(
      ([label, value]) => `${escapeMarkup(label)}: <strong>${escapeMarkup(value)}</strong>`,
    );
    return [`<p style="margin: 0 0 16px;">${lines.join('<br>\n')}</p>`];
  }
  if ('code' in paragraph) {
    const { text, code } = paragraph;
    return [
      block(text),
      `<p class="code" style="margin: 0 0 16px; padding: 16px 8px; background: #f0f2f5; border-radius: 8px; font: 600 36px/44px ui-monospace, Menlo, Consolas, monospace; letter-spacing: 6px; text-align: center; color: #1a1d24;">${escapeMarkup(code)}</p>`,
    ];
  }
  const { text, url, after } = paragraph;
  const color = isLight(BRAND_COLOR) ? '#1a1d24' : '#fff';
  return [
    block(text),
    `<p style="margin: 0 0 16px;"><a href="${escapeMarkup(url)}" style="display: inline-block; padding: 10px 20px; background: ${BRAND_COLOR}; border-radius: 8px; color: ${color}; font-weight: 600; text-decoration: none;">${escapeMarkup(new URL(url).host)}</a></p>`,
    ...(after ? [block(after)] : []),
  ];
}

const block = (text: string): string => `<p style="margin: 0 0 16px;">${escapeMarkup(text)}</p>`;

/** Mail programs load images over HTTPS only. A path is at the gateway's own host. */
function logoOf({ BRAND_LOGO_URL, PUBLIC_URL }: MailBrand): string {
  const url = BRAND_LOGO_URL === undefined ? null : URL.parse(BRAND_LOGO_URL, PUBLIC_URL);
  if (url?.protocol !== 'https:') return '';
  return `<img src="${escapeMarkup(url.href)}" alt="" height="32" style="height: 32px; margin: 0 10px 0 0; border: 0; vertical-align: middle;">`;
}

/** Whether dark text is easier to read than white on a color `#rrggbb` (WCAG 2.2, relative luminance). */
function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18;
}
