import type { DatabaseConnection } from '@gatehouse/shared/data/connect';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nameContains, suffixesOf } from '../../../services/user/chatbots/name-search.ts';
import { chatbotCollections, type StoredChatbot } from '../../../services/user/chatbots/records.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { runs } from '../../fixtures/property.ts';

let db: DatabaseConnection<typeof chatbotCollections>;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ db, drop } = await freshDatabase(chatbotCollections));
});
afterAll(() => drop());
beforeEach(async () => void (await db.chatbots.deleteMany()));

/** The names that the database finds by a text. */
async function finds(text: string, ...names: string[]): Promise<string[]> {
  await db.chatbots.deleteMany();
  await store(names.map((name) => ({ name, name_suffixes: suffixesOf(name) })));
  const found = await db.chatbots.find(nameContains(text)).sort({ chatbot_id: 1 }).toArray();
  return found.map(({ name }) => name);
}
const store = (chatbots: Partial<StoredChatbot>[]) =>
  db.chatbots.insertMany(
    chatbots.map((chatbot, number) => ({ chatbot_id: `bot-${number}`, ...chatbot })) as StoredChatbot[],
  );

test.each([
  ['Porter', ['porter', 'orter', 'rter', 'ter', 'er', 'r']],
  ['aa', ['aa', 'a']],
  ['aXa', ['axa', 'xa', 'a']],
  ['🤖é', ['🤖é', 'é']],
  [' b', [' b', 'b']],
])('suffixes of %j', (name, suffixes) => {
  expect(suffixesOf(name)).toEqual(suffixes);
});

describe('ignoring case', () => {
  test.each([
    ['Straße', 'STRASSE'],
    ['STRASSE', 'straße'],
    ['STRAẞE', 'straße'],
    ['STRAẞE', 'Strasse'],
    ['Strasse', 'STRAẞE'],
    ['ſtrom', 'STROM'],
    ['Strom', 'ſtrom'],
    ['\u212Aelvin', 'kelvin'],
    ['kelvin', '\u212AELVIN'],
    ['10 \u2126', '10 ω'],
    ['İstanbul', 'İSTANBUL'],
    ['İstanbul', 'i\u0307stanbul'],
    ['İstanbul', 'stan'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδος', 'ΟΔΟΣ'],
    ['οδοσ', 'οδος'],
    ['οδος', 'δοσ'],
    ['Café', 'cafe\u0301'],
    ['Cafe\u0301', 'CAFÉ'],
    ['ΐ', 'Ϊ\u0301'],
    ['Ϊ\u0301', 'ΐ'],
    ['ΰ', 'ΰ'.toUpperCase()],
    ['ǰ', 'J\u030C'],
    ['ŉ', 'ʼN'],
    ['ﬁsh', 'FISH'],
    ['ǅ', 'ǆ'],
    ['Ꭰ', 'ꭰ'],
    ['𐐀', '𐐨'],
    ['ᾳ', 'ΑΙ'],
    ['👩‍👩‍👧 family', '👩'],
    ['🤖🤖', '🤖'],
    ['👍🏽', '👍'],
  ])('finds %s by %s', async (name, text) => {
    expect(await finds(text, name, 'another')).toEqual([name]);
  });

  test.each([
    ['Cafe\u0301', 'cafe'],
    ['Straße', 'strase'],
    ['Zurich', 'zürich'],
    ['🤖', '🤗'],
  ])('does not find %s by %s', async (name, text) => {
    expect(await finds(text, name)).toEqual([]);
  });

  test('folds every letter like its upper and lower case', () => {
    const missed: string[] = [];
    for (let point = 0x20; point <= 0x1ffff; point += 1) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const letter = String.fromCodePoint(point);
      for (const other of [letter.toUpperCase(), letter.toLowerCase(), letter.normalize('NFD')])
        if (other !== letter && suffixesOf(other)[0] !== suffixesOf(letter)[0])
          missed.push(`${letter} by ${other}`);
    }
    expect(missed).toEqual([]);
  });
});

test.each([
  '.',
  '.*',
  '^',
  '$',
  '|',
  '(',
  ')',
  '[',
  ']',
  '{2}',
  '+',
  '?',
  '\\',
  '\\w',
  '(?i)',
  '#',
  '/',
  '-',
  '%',
  '"',
])('searches literally for %s', async (sign) => {
  expect(await finds(sign, `a${sign}b`, 'ab', 'w2i')).toEqual([`a${sign}b`]);
});

describe('the folded name contains the folded text', () => {
  const letters = [
    'a',
    'A',
    'b',
    ' ',
    '.',
    '*',
    '\\',
    'ß',
    'ẞ',
    'ſ',
    's',
    'S',
    'K',
    'k',
    'İ',
    'i',
    'Σ',
    'σ',
    'ς',
  ];
  const letter = fc.constantFrom(...letters, 'é', 'e', 'É', '🤖', '日', '(', '^', '$', '|');
  const text = (maxLength: number) =>
    fc.array(letter, { minLength: 1, maxLength }).map((some) => some.join(''));
  /** Written by hand, independently of the implementation. */
  const SPECIAL: Record<string, string> = {
    ß: 'ss',
    ẞ: 'ss',
    ſ: 's',
    K: 'k',
    İ: 'i\u0307',
    Σ: 'σ',
    ς: 'σ',
    É: 'é',
  };
  const folded = (some: string) => [...some].map((each) => SPECIAL[each] ?? each.toLowerCase()).join('');

  test('for names in the database', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text(8), { minLength: 1, maxLength: 12 }), text(3), async (names, sought) => {
        expect(await finds(sought, ...names)).toEqual(
          names
            .map((name, number) => ({ name, chatbot_id: `bot-${number}` }))
            .filter(({ name }) => folded(name).includes(folded(sought)))
            .sort((a, b) => (a.chatbot_id < b.chatbot_id ? -1 : 1))
            .map(({ name }) => name),
        );
      }),
      runs(40),
    );
  });

  test('for any part of any name, in upper and lower case', () => {
    const unit = fc.oneof(letter, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }));
    const parts = fc
      .tuple(...([0, 1, 2] as const).map(() => fc.array(unit, { maxLength: 4 })))
      .filter(([, middle]) => (middle?.length ?? 0) > 0);
    fc.assert(
      fc.property(parts, (all) => {
        const [before = '', middle = '', after = ''] = all.map((some) => some?.join('').normalize('NFC'));
        const name = before + middle + after;
        if (name.normalize('NFC') !== name) return; // the parts compose into other characters
        for (const sought of [middle, middle.toUpperCase(), middle.toLowerCase(), middle.normalize('NFD')]) {
          const { name_suffixes } = nameContains(sought);
          expect(suffixesOf(name).some((ending) => new RegExp(name_suffixes.$regex).test(ending))).toBe(true);
        }
      }),
      runs(1_000),
    );
  });
});
