import { decodeJwt, type JWTVerifyResult, jwtVerify } from 'jose';
import type { Provider } from './discovery.ts';
import type { OidcClient } from './oidc-client.ts';
import { CLOCK_TOLERANCE, type OidcOptions } from './options.ts';

/**
 * Verifies the signature, issuer, audience and times of a token for a client.
 * @param accepted.maxAge seconds since the token was issued.
 * @throws {errors.JOSEError}
 */
export const verifyToken = (
  { now }: Pick<OidcOptions, 'now'>,
  client: Pick<OidcClient, 'issuer' | 'tenants' | 'client_id'>,
  { keys }: Pick<Provider, 'keys'>,
  token: string,
  { maxAge, algorithms }: { maxAge: number; algorithms: string[] },
): Promise<JWTVerifyResult> =>
  jwtVerify(token, keys, {
    algorithms,
    issuer: client.tenants === undefined ? client.issuer : tenantIssuer(client.tenants, token),
    audience: client.client_id,
    currentDate: new Date(now()),
    clockTolerance: CLOCK_TOLERANCE,
    maxTokenAge: maxAge,
  });

/** The issuer of the tenant that a token names. What the token says is verified afterwards. */
function tenantIssuer(tenants: string, token: string): string {
  const { tid } = decodeJwt(token);
  return tenants.replace('{tenantid}', typeof tid === 'string' && /^[\da-f-]{36}$/i.test(tid) ? tid : '');
}
