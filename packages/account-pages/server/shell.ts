import { escapeMarkup } from '@gatehouse/shared/escape-markup';
import type { Language } from '@gatehouse/shared/http/language';

interface Document {
  language: Language;
  /** What the browser needs to know of the settings. */
  config: { BRAND_NAME: string; [setting: string]: unknown };
  icon: string;
  styles: readonly string[];
  /** Modules that run in this order. */
  scripts: readonly string[];
  /** Everything that they import. */
  preloads: readonly string[];
}

/** The HTML document of every account page: its modules render the rest. */
export const shell = ({
  language,
  config,
  icon,
  styles,
  scripts,
  preloads,
}: Document): string => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="gatehouse" content="${escapeMarkup(JSON.stringify(config))}">
<title>${escapeMarkup(config.BRAND_NAME)}</title>
<link rel="icon" href="${escapeMarkup(icon)}">
${styles.map((path) => `<link rel="stylesheet" href="${path}">`).join('\n')}
${scripts.map((path) => `<script type="module" src="${path}"></script>`).join('\n')}
${preloads.map((path) => `<link rel="modulepreload" href="${path}">`).join('\n')}
</head>
<body>
<div id="page"></div>
<noscript>These pages need JavaScript.</noscript>
</body>
</html>
`;
