/** The section of the OpenAPI document for each part of the paths; the longest one decides. */
const TAGS = {
  '/captcha': 'account',
  '/.well-known/webauthn': 'session',
  '/v2': 'account',
  '/auth': 'session',
  '/api/v1/auth': 'session',
  '/api/v1/auth/sso': 'single sign-on',
  '/api/v1/auth/ldap': 'single sign-on',
  '/api/v1/users': 'profile',
  '/api/v1/pictures': 'profile',
  '/api/v1/users/me/sessions': 'session',
  '/api/v1/users/me/factors': 'session',
  '/api/v1/users/me/passkeys': 'session',
  '/api/v1/users/me/links': 'session',
  '/api/v1/users/me/keys': 'keys',
  '/api/v1/organizations/{organization_id}/service-accounts': 'keys',
  '/internal/factor-reset': 'session',
  '/api/v1/organizations': 'organizations',
  '/api/v1/invitations': 'organizations',
  '/internal/legacy-login': 'session',
  '/internal/departments': 'organizations',
  '/api/v1/chatbots': 'chatbots',
  '/api/v1/webhooks': 'webhooks',
  '/api/v1/events': 'webhooks',
  '/internal/events': 'events',
  '/api/v1/sso': 'single sign-on',
  '/internal/sso': 'single sign-on',
  '/saml': 'single sign-on',
  '/oauth': 'single sign-on',
  '/social': 'session',
  '/scim': 'SCIM',
  '/api/v1/admin': 'operators',
  '/api/v1/chat-3d': 'platform',
  '/api/v1/crawl': 'platform',
} as const;

const BY_LENGTH = Object.entries(TAGS).toSorted(([one], [other]) => other.length - one.length);

/** @throws if no part of the path has a section. */
export function tagOf(path: string): string {
  const [, tag] = BY_LENGTH.find(([part]) => path === part || path.startsWith(`${part}/`)) ?? [];
  if (tag === undefined) throw new Error(`${path} belongs to no section of the OpenAPI document`);
  return tag;
}
