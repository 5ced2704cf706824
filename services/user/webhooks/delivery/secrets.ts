import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Webhook } from '../records.ts';
import type { SigningSecrets } from './signature.ts';

/** Keeps webhooks' secrets encrypted: AES-256-GCM, bound to the webhook, so that none can be moved to another. */
export interface Secrets {
  seal(secret: string, webhookId: string): string;
  /** @throws {AppError} unavailable when no key that is known here opens it. */
  open(sealed: string, webhookId: string): string;
  /** Whether the present key sealed it. */
  isCurrent(sealed: string): boolean;
}

interface Keys {
  JWT_SECRET: string;
  JWT_SECRET_PREVIOUS?: string | undefined;
  WEBHOOK_SECRET_KEY?: string | undefined;
  WEBHOOK_SECRET_KEY_PREVIOUS?: string | undefined;
}

/** Secrets remembered as they were opened. */
const MOST_OPENED = 10_000;

/**
 * The first setting that is there seals; any of them opens what it sealed, so that a key can be changed and so
 * that one can be introduced where webhooks lived by JWT_SECRET.
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
  const opened = new Map<string, string>();
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
    open(sealed, webhookId) {
      const remembered = `${webhookId} ${sealed}`;
      const secret = opened.get(remembered) ?? decrypt(keys, sealed, webhookId);
      if (opened.size >= MOST_OPENED) opened.clear();
      opened.set(remembered, secret);
      return secret;
    },
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
  /** Tells keys apart and nothing about them. */
  name: string;
  key: Buffer;
}

/** A key of its own, whatever else the setting is used for (RFC 5869). */
function derive(setting: string): Key {
  const key = Buffer.from(hkdfSync('sha256', setting, '', 'gatehouse webhook secrets', 32));
  return { key, name: createHash('sha256').update('name').update(key).digest('hex').slice(0, 8) };
}

/** What signs for a webhook at this moment. @throws {AppError} unavailable when no key that is known here opens it. */
export function signingSecrets(
  secrets: Secrets,
  { webhook_id, secret, previous_secrets }: Pick<Webhook, 'webhook_id' | 'secret' | 'previous_secrets'>,
  now: number,
): SigningSecrets {
  const previous = previous_secrets.filter(({ until }) => until.getTime() > now);
  return [secrets.open(secret, webhook_id), ...previous.map((one) => secrets.open(one.secret, webhook_id))];
}
