import { locationOf } from '@gatehouse/scim/location';
import { etagOf } from '@gatehouse/scim/version';
import type { ScimCall } from '../call.ts';
import { createUsers } from './create.ts';
import { readUser, type UserInput } from './input.ts';

/** Creates many users. @returns for each body, in order, what was created or why not. */
export async function createMany(call: ScimCall, bodies: readonly unknown[]) {
  const read = bodies.map((body): { input: UserInput } | { error: unknown } => {
    try {
      return { input: readUser(body) };
    } catch (error) {
      return { error };
    }
  });
  const inputs = read.flatMap((each) => ('input' in each ? [each.input] : []));
  const created = await createUsers(call, inputs).catch((error) => inputs.map(() => ({ error })));
  const results = created.values();
  return read.map((each) => {
    const result = 'error' in each ? each : results.next().value;
    if (!result || 'error' in result) return { error: result?.error };
    const { identity_id, scim } = result;
    return { location: locationOf(call.options, 'Users', identity_id), version: etagOf(scim.version) };
  });
}
