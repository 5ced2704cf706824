import { isObject } from '../read-rows.ts';
import { isTrue, type Preset } from './preset.ts';

/**
 * The bulk export (https://auth0.com/docs/manage-users/user-migration/bulk-user-exports), and the file with
 * `passwordHash` that Auth0's support makes. Both hold one object on each line.
 */
export const auth0: Preset = {
  read: (fields) => ({
    id: fields.user_id ?? (isObject(fields._id) ? fields._id.$oid : undefined),
    email: fields.email,
    verified: isTrue(fields.email_verified),
    // Auth0 takes the address for the name of who has none.
    name: fields.name === fields.email ? undefined : fields.name,
    firstName: fields.given_name,
    lastName: fields.family_name,
    ...(isTrue(fields.blocked) && { account_status: 'disabled' }),
    password_hash: fields.passwordHash ?? fields.password_hash,
    created_at: fields.created_at,
    last_login: fields.last_login,
    phone: fields.phone_number,
    language: fields.locale,
  }),
};
