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
