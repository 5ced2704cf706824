import { invalidValue, ScimError } from '../errors.ts';
import { matches, requiredBy } from '../filter/matches.ts';
import { type Filter, parseFilter } from '../filter/parse.ts';
import { type Attribute, type Attributes, isObject, type Json, readValue } from '../schemas.ts';

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const MAX_OPERATIONS = 1_000;

const OPERATIONS = ['add', 'remove', 'replace'] as const;

/** One operation of a PATCH (RFC 7644 §3.5.2) on one attribute. */
export interface PatchOperation {
  op: (typeof OPERATIONS)[number];
  attribute: Attribute;
  filter?: Filter;
  sub?: Attribute;
  value: unknown;
}

/**
 * Reads the operations of a PATCH, as Okta and Entra ID send them: `op` in any case, and values without a path whose
 * keys are paths.
 * @throws {ScimError}
 */
export function readOperations(body: unknown, attributes: Attributes): PatchOperation[] {
  const { Operations: given } = isObject(body) ? body : {};
  if (!Array.isArray(given) || given.length === 0)
    throw new ScimError(400, 'Operations must be a list with at least one operation', 'invalidSyntax');
  if (given.length > MAX_OPERATIONS)
    throw new ScimError(413, `A PATCH has at most ${MAX_OPERATIONS} operations`, 'tooMany');
  return given.flatMap((each) => readOperation(each, attributes));
}

function readOperation(given: unknown, attributes: Attributes): PatchOperation[] {
  const { op: name, path, value } = isObject(given) ? given : {};
  const op = OPERATIONS.find((each) => typeof name === 'string' && each === name.toLowerCase());
  if (!op) throw new ScimError(400, 'op must be add, remove or replace', 'invalidSyntax');
  if (path !== undefined && path !== null) {
    if (typeof path !== 'string') throw invalidPath();
    if (op === 'add' && value === undefined) throw invalidValue('add needs a value');
    return [{ op, ...readPath(path, attributes), value }];
  }
  if (op === 'remove') throw new ScimError(400, 'remove needs a path', 'noTarget');
  if (!isObject(value)) throw invalidValue('Without a path, value must be an object');
  return Object.entries(value).flatMap(([key, each]): PatchOperation[] => {
    const attribute = attributes.get(key.toLowerCase());
    // A whole resource is sent with its id and schemas.
    if (attribute?.readOnly) return [];
    return [{ op, ...readPath(key, attributes), value: each }];
  });
}

const MAX_PATH = 1_000;
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;
const EXTENSION = /^(urn:ietf:params:scim:schemas:extension:enterprise:2\.0:User)(?:[:.](.+))?$/i;
const PATH = /^([A-Za-z][\w-]*)(?:\[(.*)\])?(?:\.([A-Za-z$][\w-]*))?$/s;

/** @throws {ScimError} invalidPath, mutability or invalidFilter. */
function readPath(
  given: string,
  attributes: Attributes,
): Pick<PatchOperation, 'attribute' | 'filter' | 'sub'> {
  if (given.length > MAX_PATH) throw invalidPath();
  const path = given.trim().replace(CORE, '');
  const [, urn, extended] = EXTENSION.exec(path) ?? [];
  const [, name, filter, sub] =
    urn === undefined ? (PATH.exec(path) ?? []) : [undefined, urn, undefined, extended];
  const attribute = attributes.get((name ?? '').toLowerCase());
  if (!attribute) throw invalidPath(given);
  if (attribute.readOnly) throw new ScimError(400, `${attribute.name} cannot be changed`, 'mutability');
  const target = sub === undefined ? undefined : attribute.subAttributes.get(sub.toLowerCase());
  if (sub !== undefined && !target) {
    // Of manager.value, manager is stored as a whole.
    const [parent = '', child = ''] = sub.toLowerCase().split('.');
    const nested = attribute.subAttributes.get(parent)?.subAttributes.get(child);
    if (!nested) throw invalidPath(given);
    throw invalidValue(`${given}: change the whole attribute instead`);
  }
  if (filter !== undefined && !(attribute.multiValued && attribute.type === 'complex'))
    throw invalidPath(given);
  return {
    attribute,
    ...(filter !== undefined && { filter: parseFilter(filter) }),
    ...(target && { sub: target }),
  };
}

const invalidPath = (path = ''): ScimError =>
  new ScimError(400, `"${path.slice(0, 100)}" is not the path of an attribute`, 'invalidPath');

/** Applies operations to a resource. @returns the changed copy. @throws {ScimError} */
export function applyOperations(resource: Json, operations: readonly PatchOperation[]): Json {
  const changed: Json = structuredClone(resource);
  for (const operation of operations) {
    const { name } = operation.attribute;
    if (operation.attribute.ignored) continue;
    const value = operation.attribute.multiValued
      ? changedList(changed[name], operation)
      : changedSingle(changed[name], operation);
    if (value === undefined) delete changed[name];
    else changed[name] = value;
  }
  return changed;
}

function changedSingle(current: unknown, { op, attribute, sub, value }: PatchOperation): unknown {
  if (sub) return withSub(isObject(current) ? current : {}, sub, op === 'remove' ? undefined : value);
  if (op === 'remove') return undefined;
  const read = readValue(value, attribute);
  // The sub-attributes that are not mentioned stay.
  return attribute.type === 'complex' && isObject(current) && isObject(read) ? { ...current, ...read } : read;
}

function changedList(current: unknown, operation: PatchOperation): unknown {
  const { op, attribute, filter, sub, value } = operation;
  const values: unknown[] = Array.isArray(current) ? current : [];
  const isTarget = (each: unknown) => !filter || matches(filter, each, attribute.subAttributes);
  if (!filter && !sub) return changedWhole(values, operation);
  if (op === 'remove')
    return readValue(
      sub
        ? values.map((each) => (isTarget(each) && isObject(each) ? withSub(each, sub, undefined) : each))
        : values.filter((each) => !isTarget(each)),
      attribute,
    );
  const change = (each: Json): unknown => {
    if (sub) return withSub(each, sub, value);
    const [read] = [readValue(value, attribute)].flat();
    return { ...each, ...(isObject(read) ? read : {}) };
  };
  const required = filter ? requiredBy(filter, attribute.subAttributes) : {};
  // Entra ID replaces the value of type "work" whether there is one or not.
  const next = values.some(isTarget)
    ? values.map((each) => (isTarget(each) && isObject(each) ? change(each) : each))
    : [...values, change(required)];
  return readValue(next, attribute);
}

function changedWhole(values: unknown[], { op, attribute, value }: PatchOperation): unknown {
  const given = readValue(value, attribute);
  const list = Array.isArray(given) ? given : [];
  if (op === 'replace') return given;
  const key = (each: unknown) => (isObject(each) ? JSON.stringify([each.value, each.type]) : each);
  const named = new Set(list.map(key));
  const others = values.filter((each) => !named.has(key(each)));
  if (op === 'add') return readValue([...others, ...list], attribute);
  if (list.length === 0) return undefined;
  const removed = new Set(list.map((each) => (isObject(each) ? each.value : each)));
  return readValue(
    values.filter((each) => !removed.has(isObject(each) ? each.value : each)),
    attribute,
  );
}

function withSub(object: Json, sub: Attribute, value: unknown): Json | undefined {
  const { [sub.name]: _, ...others } = object;
  const read = readValue(value, sub);
  const changed = read === undefined ? others : { ...others, [sub.name]: read };
  return Object.keys(changed).length > 0 ? changed : undefined;
}
