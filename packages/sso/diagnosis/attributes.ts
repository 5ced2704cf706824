import type { AttributeNames, Connection } from '../connection-records.ts';
import { mapAttributes, missingAttributes } from '../profile.ts';
import type { Finding } from './finding.ts';

const check = 'Attributes';

/**
 * Says which attributes the provider does not send: in a sample, or else at the latest login.
 * @param sample the attributes of a person, under the names of the provider.
 */
export function testAttributes(
  connection: Connection,
  sample: Record<string, unknown> | undefined,
): Finding[] {
  const { attributes, missing_attributes } = connection;
  if (sample !== undefined)
    return attributeFindings(attributes, missingAttributes(mapAttributes(sample, connection)));
  if (missing_attributes !== undefined) return attributeFindings(attributes, missing_attributes);
  const message =
    'Nobody has logged in yet, so it is not known what the provider sends. Give a sample, or log in.';
  return [{ level: 'warning', check, message }];
}

export function attributeFindings(
  names: AttributeNames,
  missing: readonly (keyof AttributeNames)[],
): Finding[] {
  if (missing.length === 0) return [{ level: 'ok', check, message: 'The provider sends every attribute.' }];
  return missing.map((attribute) => {
    const name = names[attribute];
    return attribute === 'email'
      ? {
          level: 'error',
          check,
          message: `The provider sends no e-mail address as ${name}. Nobody can log in without one.`,
        }
      : { level: 'warning', check, message: `The provider does not send ${attribute} as ${name}.` };
  });
}
