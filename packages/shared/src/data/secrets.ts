import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { AppError } from '../http/errors.ts';

export interface Keys {
  JWT_SECRET: string;
  JWT_SECRET_PREVIOUS?: string | undefined;
  WEBHOOK_SECRET_KEY?: string | undefined;
  WEBHOOK_SECRET_KEY_PREVIOUS?: string | undefined;
}

/**
 * Encrypts secrets with AES-256-GCM, bound to the id of their record: none can be moved to another record.
 * @param purpose keeps the keys of different kinds of secrets apart.
 *
 * The first setting that is present seals; any of them opens what it sealed. This allows a key to be rotated, and
 * WEBHOOK_SECRET_KEY to be introduced where JWT_SECRET was used before.
 */
export function createSecrets(config: Keys, purpose = 'webhook secrets') {
  const keys = keysFor(config, purpose);
  const [current] = keys;
  return {
    seal(secret: string, recordId: string): string {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', current.key, iv).setAAD(Buffer.from(recordId));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return [
        current.name,
        ...[iv, text, cipher.getAuthTag()].map((part) => part.toString('base64url')),
      ].join('.');
    },
    /** @throws {AppError} unavailable when none of the configured keys opens it. */
    open: (sealed: string, recordId: string): string => decrypt(keys, sealed, recordId),
    /** Whether the current key sealed it. */
    isCurrent: (sealed: string): boolean => sealed.startsWith(`${current.name}.`),
    /** The two ranges of texts that another key sealed: an index finds them. */
    notCurrent: [{ $lt: `${current.name}.` }, { $gte: `${current.name}/` }] as const,
  };
}

/**
 * Digests texts that must be recognized and not be read. They cannot be guessed without the key, as a plain hash of an
 * address could.
 */
export function createKeyedDigests(config: Keys, purpose: string) {
  const keys = keysFor(config, purpose);
  const [current] = keys;
  const digest = (text: string, { key }: Key) => createHmac('sha256', key).update(text).digest('base64url');
  return {
    digestOf: (text: string): string => digest(text, current),
    /** The digests that each of the configured keys makes, so that a key can be rotated. */
    everyDigestOf: (text: string): string[] => keys.map((key) => digest(text, key)),
  };
}

export type Secrets = ReturnType<typeof createSecrets>;

/** Seals the secrets of second factors. Each service can: all have JWT_SECRET. */
export const createFactorSecrets = ({ JWT_SECRET, JWT_SECRET_PREVIOUS }: Keys): Secrets =>
  createSecrets({ JWT_SECRET, JWT_SECRET_PREVIOUS }, 'factor secrets');

function decrypt(keys: readonly Key[], sealed: string, recordId: string): string {
  const [name, ...parts] = sealed.split('.');
  const [iv, text, tag] = parts.map((part) => Buffer.from(part, 'base64url'));
  const known = keys.find((key) => key.name === name);
  if (!known || !iv || !text || !tag)
    throw new AppError('unavailable', { text: 'A stored secret cannot be decrypted' });
  const decipher = createDecipheriv('aes-256-gcm', known.key, iv, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(recordId)).setAuthTag(tag);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
}

/** The keys that the settings give, the current one first. */
const keysFor = (config: Keys, purpose: string) =>
  [
    config.WEBHOOK_SECRET_KEY,
    config.WEBHOOK_SECRET_KEY_PREVIOUS,
    config.JWT_SECRET,
    config.JWT_SECRET_PREVIOUS,
  ]
    .filter((setting) => setting !== undefined)
    .map((setting) => derive(setting, purpose)) as [Key, ...Key[]];

interface Key {
  /** A fingerprint that identifies the key without revealing it. */
  name: string;
  key: Buffer;
}

/** Derives a separate key, since the setting may have other uses (RFC 5869). */
function derive(setting: string, purpose: string): Key {
  const key = Buffer.from(hkdfSync('sha256', setting, '', `gatehouse ${purpose}`, 32));
  return { key, name: createHash('sha256').update('name').update(key).digest('hex').slice(0, 8) };
}
