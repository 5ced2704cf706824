import { TEXTS as FAILURES } from '@gatehouse/shared/http/failure-texts';
import { LANGUAGES } from '@gatehouse/shared/http/language';
import { expect, test } from 'vitest';

const FILES = ['', '-account', '-organization', '-webhooks', '-keys', '-security', '-visitor'];

/** Words that are the same in both languages. */
const SAME: Record<string, RegExp> = {
  de: /^(Chatbots?|Webhooks?|Organisation|Name|Text|Status|Single Sign-on|ID|URL|3D|Passkeys|Person|Avatar|Header|Audit|Plan|Admin|Editor|Support-Sitzung|Viewer|Analyst|Details|Format|Optional|Name \(optional\))$/,
  es: /^(Chatbots?|Webhooks?|ID|URL|3D|Avatar|Editor|Plan|Roles)$/,
};

const load = async (language: string, file: string): Promise<object> =>
  (await import(`../../packages/account-pages/browser/texts/${language}${file}.ts`)).texts;

/** Every text by its path, a function as `function`. */
function flatten(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') return [[path, 'function']];
  return Object.entries(value as object).flatMap(([key, inner]) => flatten(inner, `${path}/${key}`));
}

const others = LANGUAGES.filter((language) => language !== 'en');

test.each(others.flatMap((language) => FILES.map((file) => [language, file])))(
  'the texts %s%s have every key of English, and none in English',
  async (language = '', file = '') => {
    const english = new Map(flatten(await load('en', file)));
    const translated = new Map(flatten(await load(language, file)));
    expect([...english.keys()].filter((key) => !translated.has(key))).toEqual([]);
    const equal = [...translated].filter(
      ([key, text]) => text !== 'function' && text === english.get(key) && !SAME[language]?.test(text),
    );
    expect(equal).toEqual([]);
  },
);

test('every language translates the same failures', () => {
  const [first, ...rest] = others.map((language) => Object.keys(FAILURES[language].messages).sort());
  for (const keys of rest) expect(keys).toEqual(first);
});
