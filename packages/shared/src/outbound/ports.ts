/** The first and the last port of a range. */
export type PortRange = readonly [first: number, last: number];

/** Calls go to the ports of web servers only: otherwise they could be used to scan or talk to other services. */
export class PortError extends Error {
  constructor() {
    super('the port is not allowed');
  }
}

/** Whether a URL's port is in one of the ranges. `port` is empty for the default of its protocol, as in `URL`. */
export function isAllowedPort(
  { protocol, port }: { protocol: string; port: string },
  allowed: readonly PortRange[],
): boolean {
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  return allowed.some(([first, last]) => first <= number && number <= last);
}

/** For example `80, 443 or 8000 to 9999`. */
export const listPorts = (allowed: readonly PortRange[]): string =>
  new Intl.ListFormat('en-US', { type: 'disjunction', style: 'long' })
    .format(allowed.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`)))
    .replace(', or ', ' or ');
