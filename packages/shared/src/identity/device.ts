/** The device of a session, in human-readable form. */
export interface Device {
  browser: string | null;
  os: string | null;
}

type Names = readonly (readonly [name: string, pattern: RegExp])[];

/** In the order in which to look: most browsers also name those that they descend from. */
const BROWSERS: Names = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|Opera|OPiOS)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Vivaldi', /\bVivaldi\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome|Chromium)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
  ['Postman', /^PostmanRuntime\//],
  ['Python', /^python-|^Python\/|\baiohttp\//],
  ['Node.js', /^(?:node|undici|axios)\b/i],
  ['Java', /^(?:Java|okhttp)\//],
  ['Go', /^Go-http-client\//],
];

const SYSTEMS: Names = [
  ['Windows', /\bWindows\b/],
  ['iPadOS', /\biPad\b/],
  ['iOS', /\biP(?:hone|od)\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/],
  ['Android', /\bAndroid\b/],
  ['Linux', /\bLinux\b|\bX11\b/],
];

const nameIn = (names: Names, text: string): string | null =>
  names.find(([, pattern]) => pattern.test(text))?.[0] ?? null;

/** Names the browser, or the program, and the operating system of a `User-Agent` header; null if unknown. */
export const deviceNames = (userAgent: string): Device => ({
  browser: nameIn(BROWSERS, userAgent),
  os: nameIn(SYSTEMS, userAgent),
});
