/** How a person proves who they are at a login of this service. That at the provider of an organization is `sso`. */
export const LOGIN_WAYS = ['password', 'passkey', 'code', 'social'] as const;

export type LoginWay = (typeof LOGIN_WAYS)[number];

/** What the audit event of a login says about its way: nothing if it was the password. */
export const auditedWay = (way: LoginWay) => (way === 'password' ? {} : { after: { way } });
