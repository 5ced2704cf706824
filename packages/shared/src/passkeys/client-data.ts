import { AppError } from '../http/errors.ts';

/**
 * Refuses a page that another site embeds, where people may not see who asks. The library compares type, challenge and
 * origin.
 * @throws {AppError} passkeyInvalid
 */
export function refuseForeignFrame(clientDataJSON: string): void {
  const { crossOrigin, topOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
  if (crossOrigin === true || topOrigin !== undefined)
    throw new AppError('passkeyInvalid', { cause: new Error('the page was inside one of another site') });
}

/**
 * Runs the checks of a ceremony. Every failure is the client's, and all get the same answer.
 * @throws {AppError} passkeyInvalid
 */
export async function checking<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('passkeyInvalid', { cause: error });
  }
}

/** Loads the library at the first ceremony: it takes a quarter of a second, which would delay every start. */
export const library = () => import('@simplewebauthn/server');
