import type { Person } from '../person.ts';
import type { Fields } from '../read-rows.ts';
import { isTrue, type Preset, textOf } from './preset.ts';

/** `firebase auth:export --format=json` (https://firebase.google.com/docs/cli/auth). */
export const firebase: Preset = {
  list: 'users',
  withHashes(hashConfig) {
    const hashOf = hashReader(hashConfig);
    return (fields) => ({ ...personOf(fields), password_hash: hashOf(fields) });
  },
  read: personOf,
};

function personOf(fields: Fields): Person {
  return {
    id: fields.localId,
    email: fields.email,
    verified: isTrue(fields.emailVerified),
    name: fields.displayName,
    ...(isTrue(fields.disabled) && { account_status: 'disabled' }),
    created_at: fields.createdAt,
    last_login: fields.lastSignedInAt,
    phone: fields.phoneNumber,
  };
}

/** Returns what makes a hash of a row in the notation that `foreign-hashes/scrypt.ts` reads. */
function hashReader(hashConfig: string | undefined): (fields: Fields) => string | undefined {
  if (hashConfig === undefined)
    throw new Error(
      '--hash-config is required: a file with the password hash parameters of the project (console, Authentication, Users, the menu of the table)',
    );
  const setting = (name: string): string => {
    const [, value] = new RegExp(`\\b${name}"?\\s*[:=]\\s*"?([A-Za-z0-9+/=_-]+)`).exec(hashConfig) ?? [];
    if (value === undefined) throw new Error(`--hash-config names no ${name}`);
    return value;
  };
  const standard = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/');
  const [cost, rounds] = [setting('mem_cost'), setting('rounds')];
  const separator = standard(setting('base64_salt_separator'));
  const key = standard(setting('base64_signer_key'));
  const parameters = `v=1,n=${cost},r=${rounds},p=1,ss=${separator},sk=${key}`;
  return ({ passwordHash, salt }) =>
    textOf(passwordHash) === ''
      ? undefined
      : `$fbscrypt$${parameters}$${standard(textOf(salt))}$${standard(textOf(passwordHash))}`;
}
