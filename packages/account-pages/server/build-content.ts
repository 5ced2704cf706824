import { readFile } from 'node:fs/promises';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { waysOf } from '@gatehouse/shared/contract/ways';
import { LANGUAGES, type Language } from '@gatehouse/shared/http/language';
import { type Reader, THEMES } from '@gatehouse/shared/http/reader';
import { CONSOLE_PATHS, consoleViewOf } from '../browser/console/paths.ts';
import { NEEDS_SESSION, PATHS, viewOf } from '../browser/paths.ts';
import { type Asset, createAsset, createModules } from './assets.ts';
import { shell } from './shell.ts';

/** Read once, also by several gateways in a process. */
const modules = createModules();

const browser = (path: string) => new URL(`../browser/${path}`, import.meta.url);
const load = (path: string) => modules.load(browser(path));
const read = (path: string) => readFile(browser(path), 'utf8');

type Document = Omit<Asset, 'path'>;

/** Every way in which a page is shown. */
const READERS: readonly Reader[] = LANGUAGES.flatMap((language) =>
  [undefined, ...THEMES].map((theme) => ({ language, theme })),
);

/** Builds every document and asset of the account pages and, if it is on, of the console. */
export async function buildContent(config: GatewayConfig) {
  const altcha = await loadAltcha(config);
  const style = createAsset('style.css', await read('style.css'));
  const dark = createAsset('dark.css', await read('dark.css'));
  const brand = createAsset('brand.css', `:root { --brand: ${config.BRAND_COLOR}; }\n`);
  const consoleStyle = createAsset('console.css', await read('console/console.css'));
  const oldBrowser = createAsset('old-browser.js', await read('old-browser.js'));
  const icon = createAsset('icon.svg', (await read('icon.svg')).replace('currentColor', config.BRAND_COLOR));
  const logo = config.BRAND_LOGO_URL ?? icon.path;
  const frame = {
    config: { ...browserConfig(config), logo, altcha: altcha?.config },
    icon: logo,
    styles: [style.path, brand.path],
    dark: dark.path,
    oldBrowser: oldBrowser.path,
  };
  const documents = new Map<string, Document>();
  for (const path of PATHS)
    for (const reader of READERS) {
      const modules = await accountPage(path, reader.language);
      documents.set(keyOf(path, reader), documentOf({ ...frame, ...reader, ...modules }));
    }
  if (config.ADMIN_CONSOLE)
    for (const path of CONSOLE_PATHS) {
      const page = { ...frame, ...(await consolePage(path)), styles: [...frame.styles, consoleStyle.path] };
      for (const reader of READERS)
        documents.set(keyOf(path, reader), documentOf({ ...page, ...reader, language: 'en' }));
    }
  const loaded = (await modules.all()).map(({ asset }) => asset);
  const assets = [style, dark, brand, consoleStyle, icon, oldBrowser, ...(altcha?.assets ?? []), ...loaded];
  return {
    /** @param path one of PATHS or, if the console is on, of CONSOLE_PATHS. */
    documentOf: (path: string, reader: Reader) => documents.get(keyOf(path, reader)) as Document,
    assets: new Map(assets.map((asset) => [asset.path, asset])),
  };
}

const keyOf = (path: string, { language, theme }: Reader): string => `${path} ${language} ${theme}`;

const documentOf = (options: Parameters<typeof shell>[0]): Document => ({
  ...createAsset('page.html', shell(options)),
  type: 'text/html; charset=utf-8',
});

/** The views whose texts other views do without. */
const OWN_TEXTS = new Set(['organization', 'webhooks']);

/** The modules of an account page. */
async function accountPage(path: string, language: Language) {
  const arrival = await load('arrival.ts');
  const main = await load('main.ts');
  const texts = await load(`texts/${language}.ts`);
  const name = viewOf(path);
  const view = await load(`views/${name}.ts`);
  const own = OWN_TEXTS.has(name) ? [await load(`texts/${language}-${name}.ts`)] : [];
  const more = NEEDS_SESSION.has(name)
    ? [await load(`texts/${language}-account.ts`), await load('parts/user-menu.ts'), ...own]
    : [await load(`texts/${language}-visitor.ts`)];
  return {
    scripts: [arrival.asset.path, main.asset.path],
    preloads: closureOf([main, texts, view, ...more]),
  };
}

/** The modules of a page of the console, which is in English alone. */
async function consolePage(path: string) {
  const arrival = await load('console/arrival.ts');
  const main = await load('console/main.ts');
  const texts = await load('texts/en.ts');
  const more = await load('texts/en-account.ts');
  const view = await load(`console/views/${consoleViewOf(path)}.ts`);
  return {
    scripts: [arrival.asset.path, main.asset.path],
    preloads: closureOf([main, texts, more, view]),
  };
}

/** What modules and their imports need, each once. */
const closureOf = (entries: readonly { closure: ReadonlySet<string> }[]): string[] => [
  ...new Set(entries.flatMap(({ closure }) => [...closure])),
];

/** What the ALTCHA widget loads by itself; its module is imported by ours. */
async function loadAltcha({ CAPTCHA_PROVIDER }: GatewayConfig) {
  if (CAPTCHA_PROVIDER !== 'altcha') return undefined;
  const packaged = (specifier: string) => new URL(import.meta.resolve(specifier));
  const worker = (await modules.load(packaged('altcha/workers/pbkdf2'))).asset;
  const style = createAsset('altcha.css', await readFile(packaged('altcha/altcha.css'), 'utf8'));
  return { config: { worker: worker.path, style: style.path }, assets: [style] };
}

const browserConfig = (config: GatewayConfig) => ({
  ways: waysOf(config),
  BRAND_NAME: config.BRAND_NAME,
  CAPTCHA_PROVIDER: config.CAPTCHA_PROVIDER,
  CAPTCHA_SITE_KEY: config.CAPTCHA_SITE_KEY,
  CAPTCHA_ACTION: config.CAPTCHA_ACTION,
  CAPTCHA_ON_CATALOGUE_LOGIN: config.CAPTCHA_ON_CATALOGUE_LOGIN,
});
