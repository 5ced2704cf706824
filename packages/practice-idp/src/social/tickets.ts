import { randomBytes } from 'node:crypto';

/** Milliseconds in which a code or an access token is valid. */
const VALIDITY = 600_000;

/** Creates the codes or the access tokens of a provider. @param prefix what each begins with. */
export function createTickets<T>(prefix = '') {
  const tickets = new Map<string, { value: T; until: number }>();
  const find = (ticket: string): T | undefined => {
    const found = tickets.get(ticket);
    return found && Date.now() < found.until ? found.value : undefined;
  };
  return {
    issue(value: T): string {
      const ticket = prefix + randomBytes(24).toString('base64url');
      tickets.set(ticket, { value, until: Date.now() + VALIDITY });
      return ticket;
    },
    find,
    /** Finds a ticket and removes it. */
    take(ticket: string): T | undefined {
      const value = find(ticket);
      tickets.delete(ticket);
      return value;
    },
  };
}
