const PRINTABLE_ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));

/**
 * A canonical form that is equal exactly where an ICU collation of this strength (1 to 3) treats strings as equal.
 * Intl has no sort keys, so this finds a representative once per code point: a simpler character that the collator
 * treats as equal. Strength 2 folds case, full-width forms and the Kelvin sign; strength 1 folds accents as well.
 */
export function createFold(strength: number, collator: Intl.Collator): (text: string) => string {
  const representatives = new Map<string, string>();
  const same = (a: string, b: string) => collator.compare(`a${a}b`, `a${b}b`) === 0;

  function representative(char: string): string {
    const bothCases = char.toUpperCase().toLowerCase();
    const candidates = ['', ...PRINTABLE_ASCII, bothCases, char.normalize('NFKD'), char.normalize('NFD')];
    for (const candidate of candidates) {
      const form = strength < 3 ? candidate.toLowerCase() : candidate;
      if (same(char, form)) return form;
    }
    const lower = char.toLowerCase();
    return same(char, lower) ? lower : char;
  }

  return (text) => {
    if (/^[\x20-\x7e]*$/.test(text)) return strength < 3 ? text.toLowerCase() : text;
    let folded = '';
    for (const char of text.normalize('NFD')) {
      let form = representatives.get(char);
      if (form === undefined) {
        form = representative(char);
        representatives.set(char, form);
      }
      folded += form;
    }
    return folded.normalize('NFD');
  };
}
