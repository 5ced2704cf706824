import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Webhook } from '../records.ts';
import type { SigningSecrets } from './signature.ts';

/** Encrypts webhook secrets with AES-256-GCM, bound to the webhook id so that none can be moved to another webhook. */
export interface Secrets {
  seal(secret: string, webhookId: string): string;
  /** @throws {AppError} unavailable when none of the configured keys opens it. */
  open(sealed: string, webhookId: string): string;
  /** Whether the current key sealed it. */
  isCurrent(sealed: string): boolean;
}

interface Keys {
  JWT_SECRET: string;
  JWT_SECRET_PREVIOUS?: string | undefined;
  WEBHOOK_SECRET_KEY?: string | undefined;
  WEBHOOK_SECRET_KEY_PREVIOUS?: string | undefined;
}

/**
 * The first setting that is present seals; any of them opens what it sealed. This allows a key to be rotated, and
 * WEBHOOK_SECRET_KEY to be introduced where JWT_SECRET was used before.
 */
export function createSecrets(config: Keys): Secrets {
  const keys = [
    config.WEBHOOK_SECRET_KEY,
    config.WEBHOOK_SECRET_KEY_PREVIOUS,
    config.JWT_SECRET,
    config.JWT_SECRET_PREVIOUS,
  ]
    .filter((setting) => setting !== undefined)
    .map(derive);
  const [current] = keys as [Key, ...Key[]];
  return {
    seal(secret, webhookId) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', current.key, iv).setAAD(Buffer.from(webhookId));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return [
        current.name,
        ...[iv, text, cipher.getAuthTag()].map((part) => part.toString('base64url')),
      ].join('.');
    },
    open: (sealed, webhookId) => decrypt(keys, sealed, webhookId),
    isCurrent: (sealed) => sealed.startsWith(`${current.name}.`),
  };
}

function decrypt(keys: readonly Key[], sealed: string, webhookId: string): string {
  const [name, ...parts] = sealed.split('.');
  const [iv, text, tag] = parts.map((part) => Buffer.from(part, 'base64url'));
  const known = keys.find((key) => key.name === name);
  if (!known || !iv || !text || !tag)
    throw new AppError('unavailable', { text: 'The secret of this webhook cannot be decrypted' });
  const decipher = createDecipheriv('aes-256-gcm', known.key, iv, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(webhookId)).setAuthTag(tag);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
}

interface Key {
  /** A fingerprint that identifies the key without revealing it. */
  name: string;
  key: Buffer;
}

/** Derives a separate key, since the setting may have other uses (RFC 5869). */
function derive(setting: string): Key {
  const key = Buffer.from(hkdfSync('sha256', setting, '', 'gatehouse webhook secrets', 32));
  return { key, name: createHash('sha256').update('name').update(key).digest('hex').slice(0, 8) };
}

/**
 * The secrets that sign at this moment.
 * @throws {AppError} unavailable when none of the configured keys opens them.
 */
export function signingSecrets(
  secrets: Secrets,
  { webhook_id, secret, previous_secrets }: Pick<Webhook, 'webhook_id' | 'secret' | 'previous_secrets'>,
  now: number,
): SigningSecrets {
  const previous = previous_secrets.filter(({ until }) => until.getTime() > now);
  return [secrets.open(secret, webhook_id), ...previous.map((one) => secrets.open(one.secret, webhook_id))];
}
