import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';

/** The providers that we know by name. Any other name is that of an OpenID provider with an issuer. */
const KNOWN = {
  google: { label: 'Google', issuer: 'https://accounts.google.com' },
  microsoft: { label: 'Microsoft', issuer: 'https://login.microsoftonline.com/common/v2.0' },
  apple: { label: 'Apple', issuer: 'https://appleid.apple.com' },
  github: { label: 'GitHub', issuer: 'https://github.com' },
  gitlab: { label: 'GitLab', issuer: 'https://gitlab.com' },
} as const;

export type SocialKind = keyof typeof KNOWN | 'openid';

/** A provider as people see it. */
export interface SocialProvider {
  /** Names it in addresses, such as /social/{name}/login. */
  name: string;
  label: string;
}

/** Our client at a provider. */
export interface SocialClient extends SocialProvider {
  kind: SocialKind;
  issuer: string;
  client_id: string;
  /** Null for a public client, and for Apple, whose secret is signed with its key. */
  client_secret: string | null;
  apple?: AppleKey;
}

/** The key that signs the client secret of Apple. */
export interface AppleKey {
  team_id: string;
  key_id: string;
  private_key: KeyObject;
}

/** Names of providers, in the order of their buttons. */
export const providerNames = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine((names) => names.every((name) => /^[a-z][a-z0-9-]{0,30}$/.test(name)), {
    error: 'must be names in lower case such as google,github, separated by commas',
  })
  .refine((names) => new Set(names).size === names.length, { error: 'must name each provider once' });

const isKnown = (name: string): name is keyof typeof KNOWN => Object.hasOwn(KNOWN, name);

/** The variable of a provider, such as SOCIAL_GOOGLE_CLIENT_ID. */
export const variableOf = (name: string, setting: string): string =>
  `SOCIAL_${name.toUpperCase().replaceAll('-', '_')}_${setting}`;

/** Returns the providers with the texts of their buttons. */
export const socialProviders = (names: readonly string[], env: NodeJS.ProcessEnv): SocialProvider[] =>
  names.map((name) => ({ name, label: labelOf(name, env) }));

const labelOf = (name: string, env: NodeJS.ProcessEnv): string =>
  env[variableOf(name, 'LABEL')] || (isKnown(name) ? KNOWN[name].label : name);

/**
 * Returns our clients at the providers.
 * @param refuse takes one line for each variable that is missing or invalid.
 */
export const socialClients = (
  names: readonly string[],
  env: NodeJS.ProcessEnv,
  refuse: (line: string) => void,
): SocialClient[] => names.map((name) => clientOf(name, env, refuse));

function clientOf(name: string, env: NodeJS.ProcessEnv, refuse: (line: string) => void): SocialClient {
  const read = (setting: string) => env[variableOf(name, setting)] || undefined;
  const required = (setting: string): string => {
    const value = read(setting);
    if (value === undefined)
      refuse(`${variableOf(name, setting)} is required with ${name} in SOCIAL_PROVIDERS`);
    return value ?? '';
  };
  const kind = isKnown(name) ? name : 'openid';
  const common = {
    name,
    label: labelOf(name, env),
    kind,
    issuer: issuerOf(name, read('ISSUER'), refuse),
    client_id: required('CLIENT_ID'),
  } as const;
  if (kind === 'openid') return { ...common, client_secret: read('CLIENT_SECRET') ?? null };
  if (kind !== 'apple') return { ...common, client_secret: required('CLIENT_SECRET') };
  const [team_id, key_id, pem] = [required('TEAM_ID'), required('KEY_ID'), required('PRIVATE_KEY')];
  const private_key = pem === '' ? undefined : appleKeyOf(pem);
  if (private_key) return { ...common, client_secret: null, apple: { team_id, key_id, private_key } };
  if (pem !== '')
    refuse(
      `${variableOf(name, 'PRIVATE_KEY')} must be the key that Apple gave as a .p8 file: a private P-256 key in PEM, whose line breaks may be written as \\n`,
    );
  return { ...common, client_secret: null };
}

/** @param given the issuer in the settings, if there is one. */
function issuerOf(name: string, given: string | undefined, refuse: (line: string) => void): string {
  const variable = variableOf(name, 'ISSUER');
  if (given !== undefined) {
    if (!isIssuer(given))
      refuse(`${variable} must be a URL that begins with https:// or http://, without query and fragment`);
    return given;
  }
  if (isKnown(name)) return KNOWN[name].issuer;
  refuse(
    `SOCIAL_PROVIDERS names ${name}, which is none of ${Object.keys(KNOWN).join(', ')}: any other OpenID provider needs ${variable}`,
  );
  return '';
}

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
}

function appleKeyOf(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
