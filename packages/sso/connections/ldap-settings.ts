import { AppError } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody } from '@gatehouse/shared/http/fields';
import { FilterParser } from 'ldapts';
import { z } from 'zod';
import type { Connection, LdapSettings } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { directoryAddresses, type Endpoint, parseLdapUrl } from '../ldap/endpoint.ts';
import { fillIn, hasPlaceholder } from '../ldap/escape.ts';
import { readCertificates } from './certificates.ts';
import { flag, pem, printable } from './fields.ts';
import { mayDial } from './provider-url.ts';

const distinguishedName = printable(1_024).refine(isDistinguishedName, {
  error: 'must be a distinguished name such as ou=people,dc=example,dc=com',
});

const directoryUrl = z
  .string(expecting('must be a string'))
  .max(512, { error: 'must be at most 512 characters' })
  .refine((text) => parseLdapUrl(text) !== undefined, {
    error: 'must be a URL such as ldaps://ldap.example.com:636',
  });

/** Each gets its part of the time of a login. */
const MAX_FALLBACKS = 3;

/** The settings that a caller gives. */
export const ldapInput = jsonBody({
  url: directoryUrl.exactOptional(),
  fallback_urls: z
    .array(directoryUrl, expecting('must be an array of URLs'))
    .max(MAX_FALLBACKS, { error: `must hold at most ${MAX_FALLBACKS} URLs` })
    .exactOptional()
    .meta({ description: 'Directories with the same entries, tried in this order when `url` fails' }),
  start_tls: flag.exactOptional().meta({ description: 'Whether ldap:// is upgraded to TLS' }),
  ca: pem
    .nullable()
    .exactOptional()
    .meta({ description: 'Certificates in PEM that vouch for the server, instead of those of the system' }),
  bind_dn: distinguishedName
    .nullable()
    .exactOptional()
    .meta({ description: 'The account that searches; null to search anonymously' }),
  bind_password: printable(1_024).nullable().exactOptional().meta({ description: 'Never returned' }),
  base_dn: distinguishedName.nullable().exactOptional(),
  user_filter: printable(1_024)
    .refine(isFilter, { error: 'must be a filter with {username}, such as (uid={username})' })
    .nullable()
    .exactOptional(),
  user_dn: printable(1_024)
    .refine((template) => hasPlaceholder(template) && isDistinguishedName(template), {
      error:
        'must be a distinguished name with {username}, such as uid={username},ou=people,dc=example,dc=com',
    })
    .nullable()
    .exactOptional(),
});
type LdapInput = z.infer<typeof ldapInput>;

const NONE = {
  start_tls: false,
  ca: null,
  bind_dn: null,
  bind_password: null,
  base_dn: null,
  user_filter: null,
  user_dn: null,
} satisfies Omit<LdapSettings, 'url'>;

const invalid = (text: string) => new AppError('invalidFormat', { text });

/** @param before the settings that the input changes; absent for a new connection. */
export async function ldapSettings(
  options: SsoOptions,
  { connection_id }: Pick<Connection, 'connection_id'>,
  given: LdapInput,
  before?: LdapSettings,
): Promise<LdapSettings> {
  const url = given.url ?? before?.url;
  if (url === undefined) throw new AppError('missingField', { text: 'ldap.url is required' });
  const { bind_password, ...rest } = given;
  const settings: LdapSettings = { ...NONE, ...before, ...rest, url };
  if (bind_password !== undefined) {
    settings.bind_password = bind_password && options.secrets.seal(bind_password, connection_id);
  } else if (before?.bind_password && isLessSafe(settings, before)) {
    // The password must not reach a server that the caller did not name together with it.
    throw new AppError('missingField', {
      text: 'ldap.bind_password is required with another url, fallback_urls, start_tls, ca or bind_dn',
    });
  }
  const endpoints = [url, ...(settings.fallback_urls ?? [])].map((text) => parseLdapUrl(text) as Endpoint);
  if (settings.start_tls && endpoints.some(({ isLdaps }) => isLdaps))
    throw invalid('ldap.start_tls must be false with ldaps://');
  if (endpoints[0]?.isLdaps && endpoints.some(({ isLdaps }) => !isLdaps))
    throw invalid(
      'ldap.fallback_urls must begin with ldaps:// like ldap.url, so that nobody can bring about a login without TLS',
    );
  if ((settings.user_filter === null) === (settings.user_dn === null))
    throw invalid('ldap must hold either user_filter or user_dn');
  if (settings.user_filter !== null && settings.base_dn === null)
    throw new AppError('missingField', { text: 'ldap.base_dn is required with user_filter' });
  if ((settings.bind_dn === null) !== (settings.bind_password === null))
    throw invalid('ldap must hold both bind_dn and bind_password, or neither');
  if (settings.user_dn !== null && settings.bind_dn !== null)
    throw invalid('ldap must not hold bind_dn with user_dn, because people bind themselves');
  if (given.ca) settings.ca = readCertificates(given.ca, 'ldap.ca', options.now()).join('');
  for (const [index, endpoint] of endpoints.entries()) {
    const field = index === 0 ? 'ldap.url' : `ldap.fallback_urls.${index - 1}`;
    await mayDial(directoryAddresses(options, endpoint, settings), field);
  }
  return settings;
}

const isLessSafe = (settings: LdapSettings, before: LdapSettings): boolean =>
  (['url', 'start_tls', 'ca', 'bind_dn'] as const).some((name) => settings[name] !== before[name]) ||
  (settings.fallback_urls ?? []).some((url) => url !== before.url && !before.fallback_urls?.includes(url));

function isFilter(template: string): boolean {
  if (!hasPlaceholder(template) || !/^\(.*\)$/.test(template)) return false;
  try {
    FilterParser.parseString(fillIn(template, 'x', (name) => name));
    return true;
  } catch {
    return false;
  }
}

/** Checks the shape of RFC 4514: types and values, separated by commas or plus signs that are not escaped. */
function isDistinguishedName(text: string): boolean {
  return /^(?:[A-Za-z][\w-]*|\d+(?:\.\d+)*)=(?:\\.|[^\\,+"<>;])+(?:[,+] *(?:[A-Za-z][\w-]*|\d+(?:\.\d+)*)=(?:\\.|[^\\,+"<>;])+)*$/.test(
    text,
  );
}
