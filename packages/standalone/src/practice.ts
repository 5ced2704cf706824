import { join } from 'node:path';
import type { StandaloneConfig } from '@gatehouse/shared/config';
import type { Component } from './child.ts';

/**
 * Starts the practice identity providers in this process. Their modules load only here.
 * @param gatehouse the gateway's address for browsers.
 * @returns the settings with which the services offer them, too.
 * @throws in production: anybody may log in as anybody there.
 */
export async function runPractice(
  config: StandaloneConfig,
  gatehouse: string,
): Promise<{ component: Component; base: string; environment: Record<string, string>; connections: object }> {
  if (config.NODE_ENV === 'production') throw new Error('--practice is refused in production');
  const [{ startPracticeIdp }, { loadSigningKey }] = await Promise.all([
    import('@gatehouse/practice-idp/practice-idp'),
    import('@gatehouse/practice-idp/signing-key'),
  ]);
  const { base, environment, connections, stop } = await startPracticeIdp({
    port: config.STANDALONE_PRACTICE_PORT,
    ldapPort: config.STANDALONE_PRACTICE_LDAP_PORT,
    gatehouse: gatehouse.replace(/\/$/, ''),
    key: await loadSigningKey(join(config.DATA_DIR, 'practice-idp.json')),
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const component: Component = {
    name: 'practice',
    ready: Promise.resolve(),
    ended,
    stop: () => stop().then(() => end(0)),
  };
  return { component, base, environment, connections };
}
