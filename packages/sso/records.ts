import type { Role } from '@gatehouse/shared/access/rbac';
import { ANY_STRING, collection } from '@gatehouse/shared/data/connect';
import { ssoDomainCollections } from '@gatehouse/shared/identity/sso';

export const PROTOCOLS = ['saml', 'oidc', 'ldap'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** An identity provider of an organization (CONTRACT.md §Single sign-on). */
export interface Connection {
  connection_id: string;
  organization_id: string;
  /** Numbers the connections of an organization. Its unique index enforces the limit. */
  slot: number;
  protocol: Protocol;
  /** Names the connection in addresses, such as /saml/login/{slug}; unique, in lower case. */
  slug: string;
  name: string;
  enabled: boolean;
  /** The names under which the provider sends each attribute. */
  attributes: AttributeNames;
  /** The roles of groups, by the values of the role attribute; the first row that matches counts. */
  group_roles?: GroupRole[];
  /** The role of people whose provider sends none; never Owner. */
  default_role: Exclude<Role, 'Owner'>;
  /** The department of people whose provider names none. */
  default_department_id: string | null;
  /** The attributes that the last login lacked; absent until there is one. */
  missing_attributes?: (keyof AttributeNames)[];
  /** The algorithm that signed the last ID token; absent until there is one. */
  id_token_alg?: string;
  /** The settings of its protocol; the others are absent. */
  saml?: SamlSettings;
  oidc?: OidcSettings;
  ldap?: LdapSettings;
  /** The daily work on a SAML connection; absent until the first. */
  upkeep?: {
    /** When it is due, or when its lease ends. */
    due_at: Date;
    /** The run that does it. */
    lease?: string;
    /** The mails about expiring certificates that were sent. */
    told?: string[];
  };
  /** Our other SAML keys during a rotation; the one in `saml` signs. */
  own_keys?: {
    /** Published, so that the provider knows it before it signs. */
    next?: OwnKey;
    /** Still decrypts; the metadata hold its certificate for a while more. */
    previous?: OwnKey & { published_until: Date };
  };
  /** SHA-256 of the SCIM token, in hexadecimal. */
  scim_token?: string;
  created_at: Date;
  updated_at: Date;
  /** When its deletion began; the rest of what belongs to it goes first. */
  deleted_at?: Date;
}

export interface GroupRole {
  /** An id (Entra ID), a name (Okta) or a distinguished name (LDAP). */
  group: string;
  role: Exclude<Role, 'Owner'>;
}

export interface AttributeNames {
  email: string;
  firstName: string;
  lastName: string;
  role: string;
  department: string;
}

export interface SamlSettings {
  idp_entity_id: string;
  sso_url: string;
  /** Where logout requests and responses go; null if the provider offers no single logout. */
  slo_url: string | null;
  /** Signing certificates in PEM, several while they are being replaced. */
  certificates: string[];
  /** Certificates that the metadata no longer hold, and that are accepted for a while more. */
  withdrawn?: { fingerprint: string; since: Date }[];
  /** Where the metadata were read, if they were; they are read again every day. */
  metadata_url?: string;
  sign_requests: boolean;
  /** Whether a login may begin at the provider. */
  idp_initiated: boolean;
  /** Our key for this connection: it signs requests and decrypts assertions. Encrypted, see ../secrets.ts. */
  sp_private_key: string;
  /** Its self-signed certificate in PEM, which the metadata publish. */
  sp_certificate: string;
}

/** A key of ours for a SAML connection. */
export interface OwnKey {
  /** Encrypted, see ../secrets.ts. */
  private_key: string;
  /** Its self-signed certificate in PEM. */
  certificate: string;
}

export interface OidcSettings {
  issuer: string;
  client_id: string;
  /** Encrypted, see ../secrets.ts; null for a public client. */
  client_secret: string | null;
  /** Certificates in PEM that vouch for the provider, instead of those of the system; absent or null without. */
  ca?: string | null;
  /** Whether the provider answers at /oauth/callback/{slug}, since it does not name itself in its answers. */
  own_callback?: boolean;
}

export interface LdapSettings {
  /** ldap:// or ldaps://. */
  url: string;
  /** Others with the same entries, tried in this order when the ones before fail; absent without. */
  fallback_urls?: string[];
  start_tls: boolean;
  /** Certificates in PEM that vouch for the server, instead of those of the system. */
  ca: string | null;
  /** The account that searches; null to bind with `user_dn` instead. */
  bind_dn: string | null;
  /** Encrypted, see ../secrets.ts. */
  bind_password: string | null;
  base_dn: string | null;
  /** The filter that finds a person, with {username}. */
  user_filter: string | null;
  /** The DN of a person, with {username}. */
  user_dn: string | null;
}

/** A person at a connection, and their account. SCIM serves it as a user, with `identity_id` as `id`. */
export interface Identity {
  identity_id: string;
  connection_id: string;
  /** The provider's permanent identifier of the person; absent while SCIM knows them and no login has linked them. */
  subject?: string;
  user_id: string;
  /** The address that the provider sent, in lower case. */
  email: string;
  /** While the sessions of an unlinked subject are being ended; a start of the service completes it. */
  unlinking?: true;
  /** What SCIM has stored of them; written by the host. */
  scim?: ScimUser;
  created_at: Date;
  updated_at: Date;
  /** To the hour. */
  last_login_at?: Date;
  /** When a directory no longer had the person; the Owners have been told. A login removes it. */
  gone_at?: Date;
}

export interface ScimUser {
  user_name: string;
  /**
   * `user_name` in lower case: SCIM compares it without regard to case (RFC 7643 §4.1.1). Absent once SCIM has
   * deleted the user.
   */
  user_name_key?: string;
  external_id: string | null;
  active: boolean;
  /** The user resource as SCIM clients wrote it, without what other fields hold. */
  attributes: Record<string, unknown>;
  version: number;
  /** Set while `roles` is absent and was not always: the connection's default role applies. */
  role_removed?: true;
  /** While the account does not follow `active` yet; a start of the service completes it. */
  unsettled?: true;
  deleted_at?: Date;
}

/** What a connection knows of a department that it manages as a SCIM group. */
export interface ScimGroup {
  connection_id: string;
  department_id: string;
  external_id: string | null;
  version: number;
  updated_at: Date;
  /** The connection has deleted the group; the department stays. */
  deleted?: true;
}

/** A browser login under way, until the provider answers. */
export interface Flow {
  /** RelayState (SAML) and state (OpenID Connect). */
  state: string;
  connection_id: string;
  /** SHA-256 of the browser's cookie. */
  browser: string;
  /** The ID of the AuthnRequest. */
  request_id?: string;
  nonce?: string;
  code_verifier?: string;
  /** When the login asked that the person prove again who they are. */
  authenticated_after?: Date;
  /** Whether the login asked for the scope `offline_access` (OpenID Connect). */
  offline_access?: true;
  expires_at: Date;
}

/** What the account page exchanges for the first token of a session. */
interface LoginCode {
  /** SHA-256 of the code. */
  digest: string;
  /** SHA-256 of the browser's cookie. */
  browser: string;
  expires_at: Date;
}

/** After `grace` the provider must be reached once before there is another. */
export type CheckOutcome = 'confirmed' | 'grace' | 'unavailable';

/** A session that began at a provider, which may end it there. */
export interface ProviderSession {
  connection_id: string;
  subject: string;
  /** SessionIndex (SAML) or sid (OpenID Connect); absent if the provider sent none. */
  provider_sid?: string;
  user_id: string;
  sid: string;
  /** SessionNotOnOrAfter (SAML), give or take the skew of the clocks; absent if the provider sent none. */
  valid_until?: Date;
  /** The name with which the person logged in at a directory. */
  username?: string;
  /** The provider's refresh token (OpenID Connect), sealed; see ./oidc/refresh-token.ts. */
  refresh_token?: string;
  /** The process that asks the provider whether the session may go on, until when it may. */
  check?: { id: string; until: Date };
  /** What came of the latest `check`. */
  checked?: { id: string; outcome: CheckOutcome };
  /** Until a browser login exchanges it. Whatever ends the session voids the code with it. */
  login_code?: LoginCode;
  expires_at: Date;
}

/** An assertion, ID token or logout token that has been used. */
export interface UsedMessage {
  /** The connection and the message's own id. */
  key: string;
  expires_at: Date;
}

const expiring = { key: { expires_at: 1 }, expireAfterSeconds: 0 } as const;

export const ssoCollections = {
  ssoConnections: collection<Connection>('sso_connections', [
    { key: { connection_id: 1 }, unique: true },
    { key: { slug: 1 }, unique: true },
    { key: { organization_id: 1, slot: 1 }, unique: true },
    { key: { organization_id: 1, created_at: 1 } },
    { key: { protocol: 1, 'upkeep.due_at': 1 } },
    // A login that begins at a provider names its issuer.
    {
      key: { 'saml.idp_entity_id': 1 },
      partialFilterExpression: { 'saml.idp_entity_id': ANY_STRING },
    },
    // So does a logout token, and many connections can have one issuer.
    {
      key: { 'oidc.issuer': 1, 'oidc.client_id': 1 },
      partialFilterExpression: { 'oidc.issuer': ANY_STRING },
    },
    { key: { scim_token: 1 }, unique: true, partialFilterExpression: { scim_token: ANY_STRING } },
  ]),
  ...ssoDomainCollections,
  ssoIdentities: collection<Identity>('sso_identities', [
    { key: { identity_id: 1 }, unique: true },
    {
      key: { connection_id: 1, subject: 1 },
      unique: true,
      partialFilterExpression: { subject: ANY_STRING },
    },
    { key: { connection_id: 1, user_id: 1 }, unique: true },
    {
      key: { connection_id: 1, 'scim.user_name_key': 1 },
      unique: true,
      partialFilterExpression: { 'scim.user_name_key': ANY_STRING },
    },
    { key: { connection_id: 1, 'scim.external_id': 1 } },
    {
      key: { connection_id: 1, created_at: 1, user_id: 1 },
      partialFilterExpression: { subject: ANY_STRING },
    },
    { key: { unlinking: 1 }, partialFilterExpression: { unlinking: true } },
    { key: { 'scim.unsettled': 1 }, partialFilterExpression: { 'scim.unsettled': true } },
    { key: { user_id: 1 } },
  ]),
  scimGroups: collection<ScimGroup>('scim_groups', [
    { key: { connection_id: 1, department_id: 1 }, unique: true },
  ]),
  ssoFlows: collection<Flow>('sso_flows', [{ key: { state: 1 }, unique: true }, expiring]),
  ssoSessions: collection<ProviderSession>('sso_sessions', [
    { key: { sid: 1 } },
    { key: { connection_id: 1, provider_sid: 1 } },
    { key: { connection_id: 1, subject: 1 } },
    { key: { connection_id: 1, user_id: 1 } },
    {
      key: { 'login_code.digest': 1 },
      unique: true,
      partialFilterExpression: { 'login_code.digest': ANY_STRING },
    },
    expiring,
  ]),
  ssoUsedMessages: collection<UsedMessage>('sso_used_messages', [
    { key: { key: 1 }, unique: true },
    expiring,
  ]),
};
