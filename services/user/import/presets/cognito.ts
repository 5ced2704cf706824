import { type Fields, isObject } from '../read-rows.ts';
import { isTrue, type Preset, textOf } from './preset.ts';

/**
 * CSV with Cognito's header for imports, or the answer of `aws cognito-idp list-users`. Cognito gives no passwords away:
 * people choose a new one with forgot-password.
 */
export const cognito: Preset = {
  list: 'Users',
  read(row) {
    const fields = { ...row, ...attributesOf(row) };
    return {
      id: row['cognito:username'] ?? row.Username,
      email: fields.email,
      verified: isTrue(fields.email_verified),
      name: fields.name,
      firstName: fields.given_name,
      lastName: fields.family_name,
      ...((row.Enabled === false || fields.enabled === 'false') && { account_status: 'disabled' }),
      created_at: row.UserCreateDate,
      phone: fields.phone_number,
      language: fields.locale,
    };
  },
};

function attributesOf({ Attributes }: Fields): Fields {
  const attributes = Array.isArray(Attributes) ? Attributes.filter(isObject) : [];
  return Object.fromEntries(attributes.map(({ Name, Value }) => [textOf(Name), Value]));
}
