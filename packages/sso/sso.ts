import type { FastifyBaseLogger } from 'fastify';
import { removeInterrupted } from './connections/remove.ts';
import { resealSecrets } from './connections/reseal-secrets.ts';
import { unlinkInterrupted } from './connections/unlink-identity.ts';
import { endInterrupted } from './connections/update.ts';
import type { SsoOptions } from './dependencies.ts';
import { createResolveTxt } from './domains/resolve-txt.ts';
import { oidcRoutes } from './oidc/oidc.ts';
import type { SocialRoutes } from './social/routes.ts';
import { createUpkeep } from './upkeep/poller.ts';

/** Milliseconds between two looks for SAML connections that are due. */
export const UPKEEP_INTERVAL = 60_000;

/** Replaced in tests: limits of calls to providers, and DNS. */
export type SsoTuning = Partial<Pick<SsoOptions, 'ldap' | 'oidc' | 'resolveTxt'>>;

/** Assembles single sign-on: the dependencies of its operations, its job, and the repairs before a start. */
export function createSso({
  log,
  ...given
}: Omit<SsoOptions, keyof SsoTuning> & SsoTuning & { log: FastifyBaseLogger }) {
  const options: SsoOptions = { resolveTxt: createResolveTxt(), ...given };
  const openIdConnect = oidcRoutes(options);
  return {
    singleSignOn: options,
    openIdConnect,
    social: openIdConnect satisfies SocialRoutes,
    upkeep: createUpkeep({ ...options, log, interval: UPKEEP_INTERVAL }),
    repairs: {
      resealSecrets: () => resealSecrets(options),
      removeInterrupted: () => removeInterrupted({ ...options, log }),
      unlinkInterrupted: () => unlinkInterrupted(options),
      endInterrupted: () => endInterrupted(options),
    },
  };
}
