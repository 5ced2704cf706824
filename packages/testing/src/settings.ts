import { randomBytes } from 'node:crypto';

const secret = () => randomBytes(32).toString('base64url');

/** The guard of everything here: sessions without a password have no place beside real accounts. */
export function refuseProduction(...environments: { NODE_ENV?: string | undefined }[]): void {
  if (environments.some(({ NODE_ENV }) => NODE_ENV === 'production'))
    throw new Error('The test kit is refused in production (NODE_ENV=production)');
}

/** Suits tests, and can be overridden. */
const DEFAULTS = {
  LOG_LEVEL: 'silent',
  // A test suite signs up hundreds of accounts from one address within a minute.
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: '10000',
  RATE_LIMIT_V2_PER_MINUTE: '10000',
  MAILS_PER_NETWORK_PER_HOUR: '1000',
  ACTIVATIONS_PER_NETWORK_PER_HOUR: '1000',
  // Receivers and identity providers of a test are on this machine, at any port.
  WEBHOOK_ALLOW_PRIVATE: 'on',
  SSO_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
  LOGIN_BY_CODE: 'on',
  ADMIN_CONSOLE: 'on',
};

/** The settings of the services. Each instance signs with secrets of its own. */
export const settingsOf = (
  own: Record<string, string>,
  { url, mongodb }: { url: string; mongodb: string },
): Record<string, string> => ({
  ...DEFAULTS,
  INTERNAL_API_KEY: secret(),
  ...own,
  NODE_ENV: 'test',
  HOST: '127.0.0.1',
  JWT_SECRET: secret(),
  CAPTCHA_SECRET: secret(),
  MONGODB_URI: mongodb,
  PUBLIC_URL: url,
  // A restored snapshot, or a moved clock, is seen by the next call.
  PRINCIPAL_CACHE_MS: '0',
});
