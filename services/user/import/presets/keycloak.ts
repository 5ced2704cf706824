import { type Fields, isObject } from '../read-rows.ts';
import { isTrue, type Preset, textOf } from './preset.ts';

/** A realm with its users: `kc.sh export --users realm_file` (https://www.keycloak.org/server/importExport). */
export const keycloak: Preset = {
  list: 'users',
  read(fields) {
    if (textOf(fields.serviceAccountClientId) !== '') return undefined;
    const attributes = isObject(fields.attributes) ? fields.attributes : {};
    return {
      id: fields.id,
      email: fields.email,
      verified: isTrue(fields.emailVerified),
      firstName: fields.firstName,
      lastName: fields.lastName,
      ...(fields.enabled === false && { account_status: 'disabled' }),
      password_hash: hashOf(fields.credentials),
      created_at: fields.createdTimestamp,
      language: firstOf(attributes.locale),
      phone: firstOf(attributes.phoneNumber),
    };
  },
};

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

/** Digests by Keycloak's name of the algorithm. */
const PBKDF2: Record<string, string> = {
  pbkdf2: 'sha1',
  'pbkdf2-sha256': 'sha256',
  'pbkdf2-sha512': 'sha512',
};

/** Returns the hash of the password among the credentials, which hold JSON as text, in PHC notation. */
function hashOf(credentials: unknown): string | undefined {
  const password = Array.isArray(credentials)
    ? credentials.filter(isObject).find(({ type }) => type === 'password')
    : undefined;
  if (!password) return undefined;
  const { algorithm, hashIterations, additionalParameters } = jsonOf(password.credentialData);
  const { value, salt } = jsonOf(password.secretData);
  const parts = `${unpadded(salt)}$${unpadded(value)}`;
  const digest = PBKDF2[textOf(algorithm)];
  if (digest) return `$pbkdf2-${digest}$i=${hashIterations}$${parts}`;
  if (algorithm !== 'argon2') return textOf(algorithm) || 'unknown';
  const parameters = isObject(additionalParameters) ? additionalParameters : {};
  const of = (name: string) => firstOf(parameters[name]);
  const version = of('version') === '1.0' ? 16 : 19;
  const cost = `m=${of('memory')},t=${hashIterations},p=${of('parallelism')}`;
  return `$argon2${of('type')}$v=${version}$${cost}$${parts}`;
}

const unpadded = (value: unknown): string => textOf(value).replaceAll('=', '');

function jsonOf(value: unknown): Fields {
  try {
    const read: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}
