import { texts } from '../account-texts.ts';
import { ApiError } from '../gate.ts';
import { html } from '../html.ts';
import { Field } from './field.ts';

/** Asks for the name of what is destroyed, so that nobody destroys something else by a slip. */
export const NameField = ({ name }: { name: string }) => html`
  <${Field}
    name="confirmation"
    label=${texts.confirmation.label}
    hint=${texts.confirmation.hint(name)}
    autocomplete="off"
    autocapitalize="none"
    spellcheck=${false}
    autofocus
  />
`;

/** @throws {ApiError} when something else was typed than the name. */
export function checkName(typed: string | undefined, name: string): void {
  if (typed?.trim() !== name.trim())
    throw new ApiError(texts.confirmation.differs, { field: 'confirmation' });
}
