import { isIP } from 'node:net';
import { AppError } from '../http/errors.ts';

/** For whom browsers create passkeys. */
export interface RelyingParty {
  /** The domain that every passkey is bound to. */
  id: string;
  /** Where people may use them; beyond the domain, browsers look at `/.well-known/webauthn` first. */
  origins: string[];
}

interface Settings {
  PUBLIC_URL: string;
  PASSKEY_RP_ID?: string | undefined;
  PASSKEY_ORIGINS?: string[] | undefined;
}

/** @returns undefined if browsers offer no passkeys at this address; `passkeyFault` says why. */
export const relyingPartyOf = (settings: Settings): RelyingParty | undefined =>
  passkeyFault(settings) === undefined ? chosen(settings) : undefined;

const chosen = ({ PUBLIC_URL, PASSKEY_RP_ID, PASSKEY_ORIGINS }: Settings): RelyingParty => {
  const { hostname, origin } = new URL(PUBLIC_URL);
  return { id: PASSKEY_RP_ID ?? hostname, origins: PASSKEY_ORIGINS ?? [origin] };
};

/** @throws {AppError} notFound where passkeys are off. */
export function requireRelyingParty(settings: Settings): RelyingParty {
  const party = relyingPartyOf(settings);
  if (!party) throw new AppError('notFound', { text: 'There are no passkeys at this address' });
  return party;
}

/** Returns why browsers would refuse passkeys (Web Authentication §5.1.3), beginning with the setting to change. */
export function passkeyFault(settings: Settings): string | undefined {
  const { id, origins } = chosen(settings);
  const [idSetting, originSetting] = [
    settings.PASSKEY_RP_ID === undefined ? 'PUBLIC_URL' : 'PASSKEY_RP_ID',
    settings.PASSKEY_ORIGINS === undefined ? 'PUBLIC_URL' : 'PASSKEY_ORIGINS',
  ];
  if (isIP(id.replaceAll(/[[\]]/g, '')) !== 0) return `${idSetting} is an IP address: passkeys need a domain`;
  const insecure = origins.find((origin) => !isSecure(new URL(origin)));
  if (insecure) return `${originSetting} holds ${insecure}: passkeys need https, except at localhost`;
  const hosts = origins.map((origin) => new URL(origin).hostname);
  if (!hosts.some((host) => isWithin(host, id)))
    return `${idSetting} is ${id}, and the host of no origin is that domain or below it: ${origins.join(', ')}`;
  if (!id.includes('.') && !hosts.includes(id))
    return `${idSetting} is ${id}, a top-level domain: passkeys need one below it`;
  return undefined;
}

const isSecure = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isWithin(hostname, 'localhost'));

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);
