import type { SocialClient } from '@gatehouse/shared/config/social';
import type { SocialPerson } from '../host.ts';
import { requireFresh } from '../login/fresh-login.ts';
import { provedAt } from '../oidc/authenticate.ts';
import type { OidcClient } from '../oidc/oidc-client.ts';
import { CLOCK_TOLERANCE } from '../oidc/options.ts';
import { redeemCode } from '../oidc/redeem-code.ts';
import { refusalOf } from '../oidc/refusal-of.ts';
import { readUserInfo } from '../oidc/user-info.ts';
import type { SocialFlow } from '../records.ts';
import { oidcClientOf } from './oidc-client.ts';
import { PROVIDERS } from './providers.ts';
import type { SocialRoutes } from './routes.ts';

type Claims = Record<string, unknown>;

/**
 * Exchanges the code of an answer and reads who the person is.
 * @param answer the redirect URI with the query of the answer.
 * @throws {SsoRefusal}
 */
export async function identifyByOpenId(
  { options, providerOf }: SocialRoutes,
  social: SocialClient,
  flow: SocialFlow,
  answer: URL,
): Promise<SocialPerson> {
  const client: OidcClient = oidcClientOf(social, options.now);
  const { vouches, sendsAuthTime } = PROVIDERS[social.kind];
  const provider = await providerOf(client);
  if (client.tenants !== undefined) forgetTenant(client.tenants, answer, provider.metadata.issuer);
  const { idToken, tokens, configuration } = await redeemCode(options, client, provider, flow, answer);
  if (sendsAuthTime) requireFresh(flow.authenticated_after, provedAt(idToken), CLOCK_TOLERANCE * 1000);

  let userInfo: Claims = {};
  // The other providers put everything into the ID token.
  const isOpen = social.kind === 'openid' || social.kind === 'gitlab';
  if (isOpen && !hasAddress(idToken) && provider.metadata.userinfo_endpoint) {
    const { access_token } = tokens;
    const { sub } = idToken;
    userInfo = await readUserInfo(options, client, { configuration, provider, access_token, sub }).catch(
      (error) => {
        throw refusalOf(error);
      },
    );
  }
  // The address and its verification must come from one message: neither vouches for the address in the other.
  const message = hasAddress(userInfo) ? userInfo : idToken;
  return {
    provider: social,
    issuer: String(idToken.iss),
    subject: idToken.sub,
    email: textOf(message.email),
    emailVerified: vouches(message),
    name: textOf(idToken.name) ?? textOf(userInfo.name) ?? flow.name,
  };
}

const hasAddress = ({ email, email_verified }: Claims): boolean =>
  typeof email === 'string' && email_verified !== undefined;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** Replaces the issuer of a tenant in an answer by the common one, which openid-client expects. The ID token proves the tenant. */
function forgetTenant(tenants: string, answer: URL, issuer: string): void {
  const given = answer.searchParams.get('iss');
  const [before = '', after = ''] = tenants.split('{tenantid}');
  if (given?.startsWith(before) && given.endsWith(after)) answer.searchParams.set('iss', issuer);
}
