import SCIMMY from 'scimmy';
import { invalidValue } from './errors.ts';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** An attribute of a resource (RFC 7643 §2). Names are matched without regard to case. */
export interface Attribute {
  name: string;
  type: string;
  multiValued: boolean;
  readOnly: boolean;
  /** Attributes that are accepted and never stored or returned, such as a password. */
  ignored: boolean;
  subAttributes: Attributes;
}

/** By name in lower case. A Map does not know names such as `__proto__`. */
export type Attributes = ReadonlyMap<string, Attribute>;

type Definition = typeof SCIMMY.Schemas.User.definition;
type Described = SCIMMY.Types.Attribute;

const COMMON = ['schemas', 'id', 'meta', 'externalId'];
/** Certificates and pictures are of no use here. */
export const IGNORED: readonly string[] = ['password', 'x509Certificates', 'photos', 'ims'];

const attributesOf = (attributes: readonly unknown[]): Attributes =>
  new Map(
    (attributes as readonly Described[])
      .filter(({ name, type }) => typeof type === 'string' && !COMMON.includes(name) && name !== '$ref')
      .map(({ name, type, config, subAttributes = [] }) => [
        name.toLowerCase(),
        {
          name,
          type: String(type),
          multiValued: config?.multiValued === true,
          // scimmy writes readOnly as false. Clients may set members and all that they hold.
          readOnly: config?.mutable === false,
          ignored: IGNORED.includes(name),
          subAttributes: attributesOf(subAttributes),
        },
      ]),
  );

const common = (name: string, readOnly: boolean): [string, Attribute] => [
  name.toLowerCase(),
  { name, type: 'string', multiValued: false, readOnly, ignored: false, subAttributes: new Map() },
];
const COMMON_ATTRIBUTES = [
  common('externalId', false),
  common('id', true),
  common('meta', true),
  common('schemas', true),
];

const definitionOf = ({ attributes }: Definition): Attributes => attributesOf(attributes);

const enterprise: Attribute = {
  name: ENTERPRISE_SCHEMA,
  type: 'complex',
  multiValued: false,
  readOnly: false,
  ignored: false,
  subAttributes: definitionOf(SCIMMY.Schemas.EnterpriseUser.definition as unknown as Definition),
};

/** The attributes of RFC 7643 §4.1 and §4.3, as scimmy defines them. */
export const USER_ATTRIBUTES: Attributes = new Map([
  ...COMMON_ATTRIBUTES,
  ...definitionOf(SCIMMY.Schemas.User.definition),
  [ENTERPRISE_SCHEMA.toLowerCase(), enterprise],
]);

/** The attributes of RFC 7643 §4.2. */
export const GROUP_ATTRIBUTES: Attributes = new Map([
  ...COMMON_ATTRIBUTES,
  ...definitionOf(SCIMMY.Schemas.Group.definition as unknown as Definition),
]);

const MAX_TEXT = 1_000;
const MAX_VALUES = 100;

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the known attributes of an object with their types checked. Unknown, read-only, null and empty values are
 * left out. It looks no deeper than the attributes go.
 * @throws {ScimError} invalidValue.
 */
export function readAttributes(given: Json, attributes: Attributes): Json {
  const read: Json = {};
  for (const [key, value] of Object.entries(given)) {
    const attribute = attributes.get(key.toLowerCase());
    if (!attribute || attribute.readOnly || attribute.ignored) continue;
    const known = readValue(value, attribute);
    if (known !== undefined) read[attribute.name] = known;
  }
  return read;
}

/** Returns a value of an attribute, or undefined for none. @throws {ScimError} invalidValue. */
export function readValue(value: unknown, attribute: Attribute): unknown {
  if (value === null || value === undefined) return undefined;
  if (!attribute.multiValued) return readSingle(value, attribute);
  const values = Array.isArray(value) ? value : [value];
  const max = attribute.name === 'members' ? Number.POSITIVE_INFINITY : MAX_VALUES;
  if (values.length > max) throw invalidValue(`${attribute.name} has more than ${max} values`);
  const read = values.map((each) => readSingle(each, attribute)).filter((each) => each !== undefined);
  return read.length > 0 ? onePrimary(read) : undefined;
}

function readSingle(value: unknown, { name, type, subAttributes }: Attribute): unknown {
  if (type === 'complex') {
    // Entra ID and others send the elements of simple lists, such as roles, as strings.
    const object = typeof value === 'string' && subAttributes.has('value') ? { value } : value;
    if (!isObject(object)) throw invalidValue(`${name} must be an object`);
    const read = readAttributes(object, subAttributes);
    return Object.keys(read).length > 0 ? read : undefined;
  }
  if (type === 'boolean') {
    // Entra ID sends "True" and "False".
    const flag = typeof value === 'string' ? value.toLowerCase() : value;
    if (flag === true || flag === 'true') return true;
    if (flag === false || flag === 'false') return false;
    throw invalidValue(`${name} must be true or false`);
  }
  if (typeof value !== 'string') throw invalidValue(`${name} must be a string`);
  if (value.length > MAX_TEXT || !value.isWellFormed() || value.includes('\0'))
    throw invalidValue(`${name} must be a string of at most ${MAX_TEXT} characters, without U+0000`);
  return value === '' ? undefined : value;
}

/** At most one value is primary: the last that says so (RFC 7644 §3.5.2). */
function onePrimary(values: unknown[]): unknown[] {
  const last = values.findLastIndex((value) => isObject(value) && value.primary === true);
  return values.map((value, index) =>
    isObject(value) && value.primary === true && index !== last ? { ...value, primary: false } : value,
  );
}
