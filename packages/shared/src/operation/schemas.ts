import { z } from 'zod';
import { BEARER_FAILURES, type ErrorName, failures } from '../http/errors.ts';
import type { Facts } from './operation.ts';
import { concernsOrganizations, isBearer, isForOperators } from './requirement.ts';

/** The schemas of the answers of an operation that succeeds, by status. */
export const successes = ({ returns }: Pick<Facts, 'returns'>): Readonly<Record<number, z.ZodType>> =>
  returns instanceof z.ZodType ? { 200: returns } : 'fixed' in returns ? { 200: returns.schema } : returns;

/** The failures of an operation: those it names, and those that follow from the rest of its declaration. */
export function failuresOf(facts: Facts) {
  const { needs, fresh, path, body, contract, allowsSupport, returnsSecret, fails = [] } = facts;
  const names: ErrorName[] = [...fails];
  if (returnsSecret === 'session') names.push('foreignOrigin');
  if (fresh) names.push('confirmationRequired');
  if (concernsOrganizations(needs)) names.push('enrollmentRequired');
  if (isForOperators(needs)) names.push('forbidden', 'operatorFactorRequired');
  if (body) names.push('missingField', 'invalidFormat');
  if (needs === 'service key') names.push('noAuthorizationHeader', 'invalidToken', 'unavailable');
  else if (needs !== 'nothing') {
    names.push('invalidFormat', ...BEARER_FAILURES);
    if (isBearer(needs) && allowsSupport === 'full') names.push('supportSessionReadOnly');
    if (isBearer(needs) && allowsSupport === 'none')
      names.push('supportSessionReadOnly', 'supportSessionRefused');
    if (path.includes('{')) names.push('notFound');
  }
  return failures(contract === 'direct' ? 'direct' : 'catalogue', ...new Set(names));
}
