import type { SocialClient } from '@gatehouse/shared/config/social';
import {
  authorizationCodeGrant,
  type Configuration,
  type CustomFetch,
  customFetch,
  fetchProtectedResource,
  type ServerMetadata,
} from 'openid-client';
import type { SocialPerson } from '../host.ts';
import { configurationOf } from '../oidc/configuration.ts';
import type { OidcOptions } from '../oidc/options.ts';
import { objectOf } from '../oidc/provider-fetch.ts';
import { refusalOf } from '../oidc/refusal-of.ts';
import type { SocialFlow } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';
import { oidcClientOf } from './oidc-client.ts';

/** The endpoints of GitHub, or of a GitHub Enterprise Server. Its answers name the issuer (RFC 9207). */
export function githubMetadata({ issuer }: SocialClient): ServerMetadata {
  const base = `${issuer.replace(/\/$/, '')}/login/oauth`;
  return {
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/access_token`,
  };
}

const apiOf = ({ issuer }: SocialClient): string =>
  issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer.replace(/\/$/, '')}/api/v3`;

/**
 * Exchanges the code of an answer and reads the person from the API: GitHub has no ID tokens.
 * @param answer the redirect URI with the query of the answer.
 * @throws {SsoRefusal}
 */
export async function identifyAtGitHub(
  options: OidcOptions,
  social: SocialClient,
  { state, code_verifier }: SocialFlow,
  answer: URL,
): Promise<SocialPerson> {
  try {
    const configuration = configurationOf(options, oidcClientOf(social, options.now), githubMetadata(social));
    sendErrorsAs400(configuration);
    const { access_token } = await authorizationCodeGrant(configuration, answer, {
      expectedState: state,
      pkceCodeVerifier: code_verifier,
    });
    const read = (path: string) => readJson(configuration, access_token, `${apiOf(social)}${path}`);
    const [user, emails] = await Promise.all([read('/user'), read('/user/emails')]);
    const { id, name, login } = (user ?? {}) as Record<string, unknown>;
    if (!Number.isSafeInteger(id)) throw new SsoRefusal('message malformed', '/user has no numeric "id"');
    const email = primaryOf(emails);
    return {
      provider: social,
      issuer: social.issuer,
      subject: String(id),
      email,
      emailVerified: email !== undefined,
      name: [name, login].find((each) => typeof each === 'string' && each !== '') as string | undefined,
    };
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Gives errors status 400 (RFC 6749 §5.2). GitHub sends 200, and openid-client would lose the reason. */
function sendErrorsAs400(configuration: Configuration): void {
  const fetch = configuration[customFetch] as CustomFetch;
  configuration[customFetch] = async (...call) => {
    const response = await fetch(...call);
    if (response.status !== 200) return response;
    const body = await objectOf(response);
    return Response.json(body, { status: 'error' in body ? 400 : 200 });
  };
}

async function readJson(
  configuration: Configuration,
  access_token: string,
  address: string,
): Promise<unknown> {
  // GitHub refuses calls without a User-Agent.
  const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'Gatehouse' });
  const response = await fetchProtectedResource(
    configuration,
    access_token,
    new URL(address),
    'GET',
    null,
    headers,
  );
  if (response.status !== 200)
    throw new SsoRefusal('message malformed', `${address}: the response has status ${response.status}`);
  try {
    return await response.json();
  } catch {
    throw new SsoRefusal('message malformed', `${address}: the response is not JSON`);
  }
}

/** The primary address, if it is verified. Others do not count: GitHub itself writes only to the primary one. */
function primaryOf(emails: unknown): string | undefined {
  if (!Array.isArray(emails)) throw new SsoRefusal('message malformed', '/user/emails is no list');
  const { email } = emails.find((each) => each?.primary === true && each.verified === true) ?? {};
  return typeof email === 'string' ? email : undefined;
}
