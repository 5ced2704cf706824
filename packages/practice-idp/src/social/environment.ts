/** Returns the settings of providers, in the order of their buttons. */
export function environmentOf(
  providers: Record<string, { settings: Record<string, string> }>,
): Record<string, string> {
  const own = Object.entries(providers).flatMap(([provider, { settings }]) =>
    Object.entries(settings).map(([name, value]) => [`SOCIAL_${provider.toUpperCase()}_${name}`, value]),
  );
  return { SOCIAL_PROVIDERS: Object.keys(providers).join(','), ...Object.fromEntries(own) };
}

/** Writes settings as lines of an .env file, in which only quotes keep the line breaks of a key. */
export const environmentLines = (environment: Record<string, string>): string =>
  Object.entries(environment)
    .map(([name, value]) => `${name}=${/\n/.test(value) ? JSON.stringify(value) : value}`)
    .join('\n');
