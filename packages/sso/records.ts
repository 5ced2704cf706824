import { ANY_STRING, collection } from '@gatehouse/shared/data/connect';
import { ssoDomainCollections } from '@gatehouse/shared/identity/sso';
import type { Connection } from './connection-records.ts';

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
  /** Their SCIM user; written by the host. */
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

/** The SCIM state of a department that a connection manages as a group. */
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
export interface LoginFlow {
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

/** The single-use code that the account page exchanges for the first token of a session. */
interface LoginCode {
  /** SHA-256 of the code. */
  digest: string;
  /** SHA-256 of the browser's cookie. */
  browser: string;
  expires_at: Date;
}

/** A login at a provider of social login under way, or a link to one, until the provider answers. */
export interface SocialFlow {
  state: string;
  /** Its name in SOCIAL_PROVIDERS. */
  provider: string;
  /** SHA-256 of the browser's cookie. */
  browser: string;
  nonce: string;
  code_verifier: string;
  /** When the login asked that the person prove again who they are. */
  authenticated_after?: Date;
  /** Present if the account of a session is to be linked. */
  linking?: Linking;
  /** The name that a provider sent beside its signed answer. */
  name?: string;
  expires_at: Date;
}

/** The account to which a provider is to be linked, and the session that asked for it. */
export interface Linking {
  user_id: string;
  session: { id: string; beganAt: number };
}

/** The single-use code that the account page exchanges after a login at a provider of social login. */
export interface SocialCode extends LoginCode {
  provider: string;
  user_id: string;
  /** The login name by which the person came. */
  link: string;
  /** When the session begins; Unix milliseconds. */
  began: number;
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
  /** The result of the latest `check`. */
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
    { key: { deleted_at: 1 }, sparse: true },
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
  ssoFlows: collection<LoginFlow>('sso_flows', [{ key: { state: 1 }, unique: true }, expiring]),
  socialFlows: collection<SocialFlow>('social_flows', [{ key: { state: 1 }, unique: true }, expiring]),
  socialCodes: collection<SocialCode>('social_codes', [{ key: { digest: 1 }, unique: true }, expiring]),
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
