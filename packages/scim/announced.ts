import SCIMMY from 'scimmy';
import { IGNORED, type Json } from './schemas.ts';

/** Differences from the schemas of scimmy, by the path of the attribute; null if it is not stored. */
const OTHERWISE: ReadonlyMap<string, Json | null> = new Map([
  ...IGNORED.map((name): [string, null] => [name, null]),
  ['manager.$ref', null],
  ['manager.displayName', null],
  ['members.display', { mutability: 'readOnly' }],
  ['members.$ref', { referenceTypes: ['User'] }],
  ['members.type', { canonicalValues: ['User'] }],
]);

const announced = (attributes: readonly Json[], above = ''): Json[] =>
  attributes.flatMap((attribute) => {
    const path = `${above}${String(attribute.name)}`;
    const otherwise = OTHERWISE.get(path);
    if (otherwise === null) return [];
    const subAttributes = attribute.subAttributes as Json[] | undefined;
    return {
      ...attribute,
      ...otherwise,
      ...(subAttributes && { subAttributes: announced(subAttributes, `${path}.`) }),
    };
  });

const { User, Group, EnterpriseUser } = SCIMMY.Schemas;

/** The documents at /Schemas. */
export const SCHEMAS = [User, Group, EnterpriseUser].map(({ definition }): Json => {
  const described = JSON.parse(JSON.stringify(definition.describe()));
  return { ...described, attributes: announced(described.attributes) };
});
