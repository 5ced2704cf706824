import { type Preset, textOf } from './preset.ts';

/** The CSV of the dashboard (https://clerk.com/docs/guides/development/migrating/export-from-clerk). */
export const clerk: Preset = {
  read: (fields) => ({
    id: fields.id,
    email: fields.primary_email_address,
    verified: textOf(fields.verified_email_addresses)
      .split(/[|,;\s]+/)
      .includes(textOf(fields.primary_email_address)),
    firstName: fields.first_name,
    lastName: fields.last_name,
    password_hash: fields.password_digest,
    created_at: fields.created_at,
    phone: fields.primary_phone_number,
  }),
};
