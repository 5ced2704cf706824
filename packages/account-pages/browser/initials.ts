/** The initials of a name: of its first and its last word, or of the address of somebody without a name. */
export function initialsOf(name: string, email: string): string {
  const words = (name.trim() || email).split(/\s+/u);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return ends.map((word) => [...(word ?? '')][0]?.toLocaleUpperCase() ?? '').join('');
}
