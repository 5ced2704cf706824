import { AppError } from '../http/errors.ts';

/**
 * Runs the checks of a ceremony. Every failure is the client's, and all get the same answer.
 * @throws {AppError} passkeyInvalid
 */
export async function refusingAlike<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('passkeyInvalid', { cause: error });
  }
}
