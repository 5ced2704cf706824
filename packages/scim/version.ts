import { changedMeanwhile } from './errors.ts';

export const etagOf = (version: number): string => `W/"${version}"`;

/** Whether a header names a version (RFC 9110 §13.1); versions compare weakly. */
export const names = (header: string, version: number): boolean =>
  header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${version}"`);

/** @throws {ScimError} 412 if the caller knows another version. */
export function requireVersion(ifMatch: string | undefined, version: number): void {
  if (ifMatch !== undefined && !names(ifMatch, version)) throw changedMeanwhile();
}
