import type { SocialKind } from '@gatehouse/shared/config/social';

type Claims = Record<string, unknown>;

interface Provider {
  scope: string;
  /** Further parameters of the authorization request. */
  parameters?: Record<string, string>;
  /** The parameters that ask the person to log in again. */
  reloginParameters: Record<string, string>;
  /** Whether the ID token then has `auth_time`, which is checked. */
  sendsAuthTime?: true;
  /** Whether the provider vouches that the address in a message belongs to the person. */
  vouches(message: Claims): boolean;
}

const OPENID = 'openid email profile';

/** OpenID Connect Core 1.0 §3.1.2.1: with max_age the provider must send auth_time. */
const LOGIN_AGAIN = { prompt: 'login', max_age: '0' };

const isVerified = ({ email_verified }: Claims): boolean => email_verified === true;

/** The claim of Entra ID that the domain of `email` is verified, which it writes in several ways. */
const EDOV: readonly unknown[] = [true, 1, '1', 'true'];

/** How the providers differ. GitHub has no ID token; see ./github.ts. */
export const PROVIDERS: Record<SocialKind, Provider> = {
  google: {
    scope: OPENID,
    reloginParameters: { prompt: 'select_account' },
    // Google is authoritative for addresses at gmail.com and of Workspace. Any other was verified once and may have
    // changed hands (developers.google.com/identity, "Verify the Google ID token").
    vouches: (message) =>
      isVerified(message) &&
      (/@gmail\.com$/i.test(String(message.email)) || (typeof message.hd === 'string' && message.hd !== '')),
  },
  microsoft: {
    scope: OPENID,
    reloginParameters: { prompt: 'login' },
    // The administrator of any tenant can set any address; this optional claim tells the verified ones.
    vouches: ({ xms_edov }) => EDOV.includes(xms_edov),
  },
  apple: {
    scope: 'openid email name',
    // Apple requires it for these scopes.
    parameters: { response_mode: 'form_post' },
    reloginParameters: {},
    // Addresses of Apple's relay count, too. The claim may be a string.
    vouches: ({ email_verified }) => email_verified === true || email_verified === 'true',
  },
  github: {
    scope: 'read:user user:email',
    reloginParameters: { prompt: 'select_account' },
    vouches: isVerified,
  },
  gitlab: { scope: OPENID, reloginParameters: LOGIN_AGAIN, sendsAuthTime: true, vouches: isVerified },
  openid: { scope: OPENID, reloginParameters: LOGIN_AGAIN, sendsAuthTime: true, vouches: isVerified },
};
