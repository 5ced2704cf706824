/**
 * Folds case: two spellings of a name compare equal: ß, ẞ and SS; ſ and s; composed and decomposed letters.
 * It folds letter by letter, because toLowerCase alone writes a sigma by what follows it and a part of a name must
 * fold as it does within the whole.
 */
export const foldCase = (text: string): string =>
  Array.from(text.normalize('NFC'), (letter) => letter.toLowerCase().toUpperCase().toLowerCase())
    .join('')
    .normalize('NFC'); // some capital letters decompose
