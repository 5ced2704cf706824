import { isObject } from '../read-rows.ts';
import { isTrue, type Preset, textOf } from './preset.ts';

/** The table `auth.users`, as CSV or as JSON (https://supabase.com/docs/guides/auth). */
export const supabase: Preset = {
  read(fields) {
    if (textOf(fields.deleted_at) !== '' || isTrue(fields.is_anonymous)) return undefined;
    const { full_name, name } = metadataOf(fields.raw_user_meta_data);
    const isBanned = Date.parse(textOf(fields.banned_until)) > Date.now();
    return {
      id: fields.id,
      email: fields.email,
      verified: textOf(fields.email_confirmed_at) !== '',
      name: full_name ?? name,
      ...(isBanned && { account_status: 'disabled' }),
      password_hash: fields.encrypted_password,
      created_at: fields.created_at,
      last_login: fields.last_sign_in_at,
      phone: fields.phone,
    };
  },
};

/** CSV holds the object as text. */
function metadataOf(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  try {
    const read: unknown = JSON.parse(textOf(value));
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}
