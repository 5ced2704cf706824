import type { User } from '@gatehouse/shared/identity/user-record';
import { PLAN_FIELDS } from '../person.ts';
import { isTrue, type Preset } from './preset.ts';

const STATES: readonly unknown[] = ['active', 'paused', 'disabled'] satisfies User['account_status'][];

/** What `npx gatehouse export` writes, and a format for whatever else people come from. */
export const gatehouse: Preset = {
  read: ({ verified, account_status, user_id, id, ...fields }) => ({
    email: fields.email,
    verified: isTrue(verified),
    id,
    ...(user_id !== null && { user_id }),
    ...(STATES.includes(account_status) && { account_status: account_status as User['account_status'] }),
    name: fields.name,
    password_hash: fields.password_hash,
    created_at: fields.created_at,
    last_login: fields.last_login,
    phone: fields.phone,
    company: fields.company,
    role: fields.role,
    language: fields.language,
    plan: Object.fromEntries(PLAN_FIELDS.map((field) => [field, fields[field]])),
  }),
};
