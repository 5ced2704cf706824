/** The languages that people read. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Returns the language that a reader prefers among ours, English by default (RFC 9110 §12.5.4). */
export function languageOf(acceptLanguage = ''): Language {
  const preferred = acceptLanguage
    .slice(0, 1_000)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return { language: tag.split('-')[0], quality: Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality);
  const found = preferred.map(({ language }) => LANGUAGES.find((each) => each === language));
  return found.find((language) => language !== undefined) ?? 'en';
}
