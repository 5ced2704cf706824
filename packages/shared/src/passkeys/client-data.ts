import { AppError } from '../http/errors.ts';

/**
 * What the browser says about the page that asked. The library compares type, challenge and origin.
 * @throws {AppError} passkeyInvalid for a page inside one of another site: its person may not see who asks.
 */
export function refuseForeignFrame(clientDataJSON: string): void {
  const { crossOrigin, topOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
  if (crossOrigin === true || topOrigin !== undefined)
    throw new AppError('passkeyInvalid', { cause: new Error('the page was inside one of another site') });
}

/**
 * Runs the checks of a ceremony. Whatever fails in them comes from the client, and all of it looks alike.
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

/** Loaded by the first ceremony: it takes a quarter of a second, which no start should wait for. */
export const library = () => import('@simplewebauthn/server');
