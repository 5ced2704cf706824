import { type JWTVerifyResult, jwtVerify } from 'jose';
import type { Provider } from './discovery.ts';
import { ALGORITHMS, CLOCK_TOLERANCE, type OidcConnection, type OidcOptions } from './options.ts';

/**
 * Verifies the signature, issuer, audience and times of a token for the client of a connection.
 * @param maxAge seconds since the token was issued.
 * @throws {errors.JOSEError}
 */
export const verifyToken = (
  { now }: Pick<OidcOptions, 'now'>,
  { oidc }: OidcConnection,
  { keys }: Provider,
  token: string,
  maxAge: number,
): Promise<JWTVerifyResult> =>
  jwtVerify(token, keys, {
    algorithms: ALGORITHMS,
    issuer: oidc.issuer,
    audience: oidc.client_id,
    currentDate: new Date(now()),
    clockTolerance: CLOCK_TOLERANCE,
    maxTokenAge: maxAge,
  });
