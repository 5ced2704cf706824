import { type Finding, fail, ok, warn } from '@gatehouse/shared/checks/finding';
import { type Config, ConfigError, loadConfig, type Service } from '@gatehouse/shared/config';

export const SERVICES: readonly Service[] = ['gateway', 'login', 'user'];

/** The settings of the services, where they can be read. */
export type Settings = { [S in Service]?: Config<S> };

/**
 * Reads the settings of services as the services do: whether they are valid, and whether production would refuse
 * them, such as secrets that are short, guessable or used twice.
 */
export function checkSettings(
  env: NodeJS.ProcessEnv,
  services = SERVICES,
): { settings: Settings; findings: Finding[] } {
  const isProduction = env.NODE_ENV === 'production';
  const invalid = new Set<string>();
  const unsafe = new Set<string>();
  const read = services.map((service) => {
    try {
      // In production the unsafe settings would be the only ones that it names.
      const { config, warnings } = loadConfig(service, { ...env, NODE_ENV: 'development' });
      for (const warning of warnings) unsafe.add(warning);
      return [service, { ...config, NODE_ENV: isProduction ? 'production' : 'development' }];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const line of error.message.split('\n')) invalid.add(line);
      return [service, undefined];
    }
  });
  const advice = 'set it in the environment or in .env; .env.example explains every setting';
  const judge = isProduction ? fail : warn;
  const findings = [
    ...[...invalid].map((line) => fail('settings', line, advice)),
    ...[...unsafe].map((line) => judge('settings', line, advice)),
  ];
  return {
    settings: Object.fromEntries(read) as Settings,
    findings: findings.length > 0 ? findings : [ok('settings', 'valid and safe for production')],
  };
}
