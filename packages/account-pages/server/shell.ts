import { escapeMarkup } from '@gatehouse/shared/escape-markup';
import type { Language } from '@gatehouse/shared/http/language';
import { colorScheme, darkMedia, type Reader } from '@gatehouse/shared/http/reader';

interface Document extends Reader {
  /** What the browser needs to know of the settings. */
  config: { BRAND_NAME: string; [setting: string]: unknown };
  icon: string;
  styles: readonly string[];
  /** The stylesheet of the dark theme. */
  dark: string;
  /** The script that any browser can run. */
  oldBrowser: string;
  /** Modules that run in this order. */
  scripts: readonly string[];
  /** Everything that they import. */
  preloads: readonly string[];
}

/** The messages for browsers without JavaScript, and for browsers that are too old. */
const NEEDS: Record<Language, { script: string; browser: string }> = {
  en: {
    script:
      'These pages need JavaScript. Turn it on in the settings of your browser, and load the page again.',
    browser:
      'Your browser is too old for these pages. They need Chrome or Edge 111, Firefox 113, Safari 16.2, or a later version.',
  },
  de: {
    script:
      'Diese Seiten brauchen JavaScript. Schalten Sie es in den Einstellungen Ihres Browsers ein, und laden Sie die Seite neu.',
    browser:
      'Ihr Browser ist zu alt für diese Seiten. Sie brauchen Chrome oder Edge 111, Firefox 113, Safari 16.2 oder eine spätere Version.',
  },
  es: {
    script:
      'Estas páginas necesitan JavaScript. Actívelo en los ajustes de su navegador y vuelva a cargar la página.',
    browser:
      'Su navegador es demasiado antiguo para estas páginas. Necesitan Chrome o Edge 111, Firefox 113, Safari 16.2 o una versión posterior.',
  },
};

/** The HTML document of every account page: its modules render the rest. */
export const shell = ({
  language,
  theme,
  config,
  icon,
  styles,
  dark,
  oldBrowser,
  scripts,
  preloads,
}: Document): string => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${colorScheme(theme)}">
<meta name="gatehouse" content="${escapeMarkup(JSON.stringify(config))}">
<title>${escapeMarkup(config.BRAND_NAME)}</title>
<link rel="icon" href="${escapeMarkup(icon)}">
${styles.map((path) => `<link rel="stylesheet" href="${path}">`).join('\n')}
<link rel="stylesheet" href="${dark}" id="dark" media="${darkMedia(theme)}">
<script defer src="${oldBrowser}"></script>
${scripts.map((path) => `<script type="module" src="${path}"></script>`).join('\n')}
${preloads.map((path) => `<link rel="modulepreload" href="${path}">`).join('\n')}
</head>
<body>
<p class="needs" id="old-browser" hidden>${NEEDS[language].browser}</p>
<noscript><p class="needs">${NEEDS[language].script}</p></noscript>
<div id="page"></div>
</body>
</html>
`;
