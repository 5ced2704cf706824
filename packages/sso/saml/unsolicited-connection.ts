import type { SsoOptions } from '../dependencies.ts';
import { type Candidate, findCandidates } from '../login/login-connection.ts';
import { SsoRefusal } from '../refusal.ts';
import { NAMESPACE } from './names.ts';
import type { ProviderMessage } from './read-message.ts';
import { entityIdOf } from './service-provider.ts';
import { attribute, descendants, textOf } from './xml.ts';

const refuse = (detail: string): never => {
  throw new SsoRefusal('login not begun here', detail);
};

/**
 * Finds the connection that a response without a request of ours is for: by the address that received it, by its
 * audience, or by its issuer if the assertion is encrypted. Nothing is verified yet, so the result only says whose keys
 * to verify it with.
 * @param addressed the slug in the address.
 * @throws {SsoRefusal} login not begun here, when there is none.
 */
export async function unsolicitedConnection(
  options: Pick<SsoOptions, 'config' | 'db' | 'now'>,
  { root }: ProviderMessage,
  addressed?: string,
): Promise<Candidate> {
  if (attribute(root, 'InResponseTo') !== undefined)
    return refuse('the response answers a request, but its RelayState is not that of a login');
  const audiences = descendants(root, NAMESPACE.assertion, 'Audience').map(textOf);
  const [issuer] = descendants(root, NAMESPACE.assertion, 'Issuer').map(textOf);
  const prefix = entityIdOf(options.config, '');
  const [slug] = audiences.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const named = addressed ?? slug;
  const which =
    named === undefined
      ? { 'saml.idp_entity_id': issuer ?? '', 'saml.idp_initiated': true }
      : { slug: named };
  const [candidate, another] = await findCandidates(options, { ...which, protocol: 'saml' });
  if (!candidate) return refuse('no connection for this response allows logins that begin at the provider');
  if (another)
    return refuse(
      `several connections have the issuer ${issuer}, and the assertion is encrypted: have the provider send it to /saml/acs/ and the slug`,
    );
  return candidate;
}
