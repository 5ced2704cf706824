const KEYBOARD = 'qwertyuiop asdfghjkl zxcvbnm qwertzuiop yxcvbnm';
/** Characters from which on a password has the next strength. */
const STEPS = [8, 12, 16];

/** Whether a guesser tries a character after another one first: a repetition, or the next one of a run. */
function isExpected(previous: string, next: string): boolean {
  const distance = next.charCodeAt(0) - previous.charCodeAt(0);
  return Math.abs(distance) <= 1 || KEYBOARD.includes(previous.toLowerCase() + next.toLowerCase());
}

/** The strength of a password, 0 to 3: its length without repetitions and runs such as `aaa`, `321` and `qwe`. */
export function strengthOf(password: string): number {
  const characters = [...password];
  const counted = characters.filter((each, at) => at === 0 || !isExpected(characters[at - 1] ?? '', each));
  return STEPS.filter((step) => counted.length >= step).length;
}

/** The highest strength. */
export const STRONGEST = STEPS.length;
