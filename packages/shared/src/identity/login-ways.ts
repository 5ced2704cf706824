/** The ways to log in, except single sign-on, which is recorded as `sso`. */
export const LOGIN_WAYS = ['password', 'passkey', 'code', 'social'] as const;

export type LoginWay = (typeof LOGIN_WAYS)[number];

/** The way as the audit event of a login records it: nothing for a password. */
export const auditedWay = (way: LoginWay) => (way === 'password' ? {} : { after: { way } });
