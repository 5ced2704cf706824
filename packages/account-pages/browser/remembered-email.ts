/** The address that somebody has given already, so that the next form has it filled in. It stays in memory. */
let email = '';

export const rememberedEmail = (): string => email;

export function rememberEmail(given: string): void {
  email = given.trim();
}
