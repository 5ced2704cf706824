import { mapAttributes, type Profile } from '../profile.ts';
import type { Claims } from './claims.ts';
import type { OidcConnection } from './options.ts';

/** The issuers of Entra ID, in its clouds. */
const ENTRA =
  /^https:\/\/(?:login\.microsoftonline\.(?:com|us)|login\.partner\.microsoftonline\.cn|sts\.windows\.net)\//;

/** Entra ID's optional claim that the domain of `email` is verified, which it writes in several ways. */
const EDOV = [true, 1, '1', 'true'];

type Message = Record<string, unknown>;

const flagsOf = ({ oidc }: OidcConnection, { email_verified, xms_edov }: Message): unknown[] =>
  [email_verified, ENTRA.test(oidc.issuer) ? xms_edov : undefined].filter((flag) => flag !== undefined);

/** Whether an ID token has everything that a profile may have. */
export function isComplete(connection: OidcConnection, idToken: Message): boolean {
  const { attributes } = connection;
  const profile = mapAttributes(idToken, connection);
  return (
    Object.keys(attributes).every((name) => profile[name as keyof typeof profile] !== undefined) &&
    flagsOf(connection, idToken).length > 0
  );
}

/** Returns the person that validated claims describe. The ID token takes precedence over userinfo. */
export function profileOf(
  connection: OidcConnection,
  { idToken, userInfo = { sub: idToken.sub } }: Claims,
): Profile {
  const merged = mapAttributes({ ...userInfo, ...idToken }, connection);
  // One message must say both: neither vouches for the address in the other.
  const voucher = [idToken, userInfo].find(
    (message: Message) =>
      mapAttributes(message, connection).email !== undefined && flagsOf(connection, message).length > 0,
  );
  const email = voucher ? mapAttributes(voucher, connection).email : merged.email;
  return {
    ...merged,
    subject: idToken.sub,
    email,
    emailVerified: voucher !== undefined && vouches(connection, voucher, email),
  };
}

/** Whether a message says that its address is verified. The text "true" is no statement of OpenID Connect. */
function vouches(connection: OidcConnection, message: Message, email: string | undefined): boolean {
  // The flags are about the claim `email`, whatever claim the connection takes the address from.
  const isOther =
    typeof message.email === 'string' && message.email.trim().toLowerCase() !== email?.toLowerCase();
  if (isOther || flagsOf(connection, message).length === 0) return false;
  const { email_verified, xms_edov } = message;
  return email_verified === true || (email_verified === undefined && EDOV.includes(xms_edov as string));
}
