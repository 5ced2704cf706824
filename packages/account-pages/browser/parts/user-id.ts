import { texts } from '../account-texts.ts';
import { ApiError } from '../gate.ts';
import { html } from '../html.ts';
import { Field } from './field.ts';

/** The id of another account. The API has no search for people. */
export const UserIdField = () => html`
  <${Field}
    name="user_id"
    label=${texts.lists.userId}
    hint=${texts.lists.userIdHint}
    maxlength="200"
    autocomplete="off"
    spellcheck=${false}
    autofocus
  />
`;

/** Puts the refusal of an unknown account beside the field. */
export async function aboutUserId<T>(call: Promise<T>): Promise<T> {
  return call.catch((error) => {
    const isUnknown = error instanceof ApiError && error.status === 404 && error.field === 'email';
    throw isUnknown ? new ApiError(texts.lists.unknownUser, { ...error, field: 'user_id' }) : error;
  });
}
