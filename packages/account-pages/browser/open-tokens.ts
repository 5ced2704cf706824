/** A token whose session is over for the reader, and perhaps not at the server. */
export interface OpenToken {
  token: string;
  /** By the clock of this device; Unix milliseconds. */
  expiresAt: number;
}

export const OPEN_TOKENS_KEY = 'gatehouse.open-tokens';

/** The tokens that this tab still has to end, also after a reload. */
export function openTokens(): OpenToken[] {
  try {
    const stored = JSON.parse(sessionStorage.getItem(OPEN_TOKENS_KEY) ?? '[]') as OpenToken[];
    return stored.filter(({ expiresAt }) => expiresAt > Date.now());
  } catch {
    return [];
  }
}

function save(tokens: OpenToken[]): void {
  if (tokens.length > 0) sessionStorage.setItem(OPEN_TOKENS_KEY, JSON.stringify(tokens));
  else sessionStorage.removeItem(OPEN_TOKENS_KEY);
}

export const addOpenToken = ({ token, expiresAt }: OpenToken): void =>
  save([...openTokens(), { token, expiresAt }]);

export const removeOpenToken = (ended: string): void =>
  save(openTokens().filter(({ token }) => token !== ended));
