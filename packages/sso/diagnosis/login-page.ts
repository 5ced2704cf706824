import { NotPublicError } from '@gatehouse/shared/outbound/public-address';
import { isCertificateError, reasonOf } from '@gatehouse/shared/outbound/reason';
import { request } from 'undici';
import type { SamlSettings } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import type { Finding } from './finding.ts';

/** Milliseconds for the answer of the login page. */
const TIMEOUT = 8_000;

/** Says whether the login page of a SAML provider answers, which browsers may reach and we may not. */
export async function testLoginPage(
  { outbound }: Pick<SsoOptions, 'outbound'>,
  { sso_url }: Pick<SamlSettings, 'sso_url'>,
): Promise<Finding[]> {
  const check = 'Login page';
  try {
    const { body } = await request(sso_url, {
      dispatcher: outbound.agent,
      signal: AbortSignal.timeout(TIMEOUT),
    });
    // Its AbortError has no other listener.
    body.once('error', () => {}).destroy();
    return [{ level: 'ok', check, message: 'The login page of the provider answers.' }];
  } catch (error) {
    if (error instanceof NotPublicError) {
      return [
        {
          level: 'warning',
          check,
          message:
            'The login page is in a private network, so only browsers there reach it. It was not tested.',
        },
      ];
    }
    if (isCertificateError(error as Error)) {
      return [
        {
          level: 'error',
          check,
          message: `The login page has a TLS certificate that is not accepted: ${describe(error as Error)}.`,
        },
      ];
    }
    return [
      {
        level: 'error',
        check,
        message: `The login page at ${sso_url} cannot be reached: ${describe(error as Error)}.`,
      },
    ];
  }
}

const describe = (error: Error): string => {
  const reason = reasonOf(error);
  return reason === 'the request failed' ? error.message : reason;
};
