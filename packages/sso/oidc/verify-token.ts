import { type JWTVerifyResult, jwtVerify } from 'jose';
import type { Provider } from './discovery.ts';
import { CLOCK_TOLERANCE, type OidcConnection, type OidcOptions } from './options.ts';

/**
 * Verifies the signature, issuer, audience and times of a token for the client of a connection.
 * @param accepted.maxAge seconds since the token was issued.
 * @throws {errors.JOSEError}
 */
export const verifyToken = (
  { now }: Pick<OidcOptions, 'now'>,
  { oidc }: OidcConnection,
  { keys }: Pick<Provider, 'keys'>,
  token: string,
  { maxAge, algorithms }: { maxAge: number; algorithms: string[] },
): Promise<JWTVerifyResult> =>
  jwtVerify(token, keys, {
    algorithms,
    issuer: oidc.issuer,
    audience: oidc.client_id,
    currentDate: new Date(now()),
    clockTolerance: CLOCK_TOLERANCE,
    maxTokenAge: maxAge,
  });
