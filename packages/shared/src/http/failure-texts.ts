import type { AppError } from './errors.ts';
import { de } from './failure-texts/de.ts';
import { en } from './failure-texts/en.ts';
import { es } from './failure-texts/es.ts';
import type { FailureKind, FailureTexts } from './failure-texts/texts.ts';
import type { Language } from './language.ts';

export const TEXTS: Record<Language, FailureTexts> = { en, de, es };

/** What went wrong, in the reader's language. A message without a translation is replaced by what to do. */
export function failureText({ message, status }: AppError, kind: FailureKind, language: Language): string {
  const { address, messages, unknown } = TEXTS[language];
  if (kind === 'address' && status < 429) return address;
  return messages[message] ?? unknown ?? message;
}
