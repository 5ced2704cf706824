import type { Role } from '@gatehouse/shared/access/rbac';

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
  /** The roles of groups, by the values of the role attribute; the first matching row wins. */
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
    /** Published before it signs: the provider must know it by then. */
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
  /** Who asked, with the deletion, to end the requirement of domains that keep no connection. */
  released_by?: { user_id: string; email: string };
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
  /** Certificates that the metadata no longer hold, and that are still accepted for a while. */
  withdrawn?: { fingerprint: string; since: Date }[];
  /** Where the metadata were read, if they were; they are read again every day. */
  metadata_url?: string;
  sign_requests: boolean;
  /** Whether a login may begin at the provider. */
  idp_initiated: boolean;
  /** Our key for this connection: it signs requests and decrypts assertions. Encrypted, see packages/shared/src/data/secrets.ts. */
  sp_private_key: string;
  /** Its self-signed certificate in PEM, which the metadata publish. */
  sp_certificate: string;
}

/** A key of ours for a SAML connection. */
export interface OwnKey {
  /** Encrypted, see packages/shared/src/data/secrets.ts. */
  private_key: string;
  /** Its self-signed certificate in PEM. */
  certificate: string;
}

export interface OidcSettings {
  issuer: string;
  client_id: string;
  /** Encrypted, see packages/shared/src/data/secrets.ts; null for a public client. */
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
  /** Encrypted, see packages/shared/src/data/secrets.ts. */
  bind_password: string | null;
  base_dn: string | null;
  /** The filter that finds a person, with {username}. */
  user_filter: string | null;
  /** The DN of a person, with {username}. */
  user_dn: string | null;
}
