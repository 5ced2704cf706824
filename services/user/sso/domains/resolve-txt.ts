import { Resolver } from 'node:dns/promises';

/** Returns the TXT records of a name, each as its strings. Rejects with a DNS error code when there are none. */
export type ResolveTxt = (name: string) => Promise<string[][]>;

export function createResolveTxt(): ResolveTxt {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return (name) => resolver.resolveTxt(name);
}
