import { AppError } from '@gatehouse/shared/http/errors';
import { ClearTextError } from '@gatehouse/shared/outbound/clear-text';
import { PortError } from '@gatehouse/shared/outbound/ports';
import { NotPublicError } from '@gatehouse/shared/outbound/public-address';
import type { SsoOptions } from '../dependencies.ts';

const invalid = (text: string, cause?: unknown) => new AppError('invalidFormat', { text, cause });

/** Parses a URL of a provider. @throws {AppError} invalidFormat, which names the field. */
function parseProviderUrl(text: string, field: string): URL {
  // URL.parse removes tabs and line breaks, so the stored URL would differ from the one called. Other characters do not
  // fit into a Location header.
  const url = /[^\x21-\x7e]/.test(text) ? null : URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalid(`${field} must be a URL that begins with https://`);
  if (url.username || url.password) throw invalid(`${field} must not contain a user name or password`);
  if (text.includes('#')) throw invalid(`${field} must not contain a fragment`);
  return url;
}

/** Accepts a URL that only browsers call, which may be in a network that we do not reach. */
export async function checkBrowserUrl(
  { config, outbound }: Pick<SsoOptions, 'config' | 'outbound'>,
  text: string,
  field: string,
): Promise<void> {
  const url = parseProviderUrl(text, field);
  if (url.protocol === 'https:' || config.NODE_ENV !== 'production') return;
  try {
    await outbound.check(url);
  } catch (cause) {
    throw invalid(`${field} must begin with https://`, cause);
  }
}

/** Accepts a URL that we call. A name that does not resolve yet is accepted. */
export async function checkDialedUrl(
  { outbound }: Pick<SsoOptions, 'outbound'>,
  text: string,
  field: string,
): Promise<void> {
  await mayDial(outbound.check(parseProviderUrl(text, field)), field);
}

/** Converts a refusal by the rules for addresses to a failure that names the field. */
export async function mayDial(check: Promise<unknown>, field: string): Promise<void> {
  try {
    await check;
  } catch (error) {
    if (error instanceof NotPublicError)
      throw invalid(
        `${field} must resolve to public addresses or to networks that the operator allows`,
        error,
      );
    if (error instanceof PortError) throw invalid(`${field} has a port that is not allowed`, error);
    if (error instanceof ClearTextError)
      throw invalid(`${field} must be encrypted (https, ldaps or StartTLS)`, error);
    // The name servers do not know the name, or do not answer.
    if (typeof (error as { code?: unknown }).code !== 'string') throw error;
  }
}
