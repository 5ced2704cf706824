import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';

/** An OpenAPI document, as far as it is changed here. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
}
interface Operation {
  'x-contract'?: string;
  operationId?: string;
  parameters?: unknown;
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, object>;
}

const HEADER = `// Written by \`npm run client\` from the OpenAPI document of the gateway. Do not edit.

import type { Failure } from './failure.ts';

`;

/**
 * Returns the source of the types of every operation of both contracts and of every webhook event.
 * Failures are one type for all operations, and examples are left out: with them the types are five times as long.
 */
export async function schemaSource({ paths, webhooks }: Document): Promise<string> {
  const calls = Object.entries(paths).flatMap(([path, item]) => {
    const operations = Object.entries(item).filter(([, operation]) => isForClients(operation));
    return operations.length === 0 ? [] : [[path, mapValues(operations, withOneFailure)]];
  });
  const events = mapValues(Object.entries(webhooks), ({ post: { requestBody } }) => ({
    post: { ...(requestBody && { requestBody }), responses: {} },
  }));
  const info = { title: 'Gatehouse', version: '1' };
  const document = { openapi: '3.1.0', info, paths: Object.fromEntries(calls), webhooks: events };
  // It is as valid as the document that its parts are from.
  const nodes = await openapiTS(withoutExamples(document) as object as OpenAPI3, {
    transform: (schema) =>
      'x-failure' in schema ? ts.factory.createTypeReferenceNode('Failure') : undefined,
  });
  return HEADER + shorten(astToString(nodes));
}

/** Identity providers speak SCIM, and probes ask for health. */
const isForClients = (operation: Operation): boolean =>
  ['direct', 'catalogue'].includes(operation['x-contract'] ?? '');

const FAILURE = {
  description: 'The call failed',
  content: { 'application/json': { schema: { type: 'object', 'x-failure': true } } },
};

function withOneFailure({ operationId: _, requestBody, responses, ...operation }: Operation) {
  const { 'multipart/form-data': multipart, ...content } = requestBody?.content ?? {};
  // A form can be sent in two encodings; the client sends the shorter one.
  const hasForm = 'application/x-www-form-urlencoded' in content;
  const body = hasForm ? { ...requestBody, content } : requestBody;
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return {
    ...operation,
    ...(body && { requestBody: body }),
    responses: { ...Object.fromEntries(successes), default: FAILURE },
  };
}

const mapValues = <T, R>(entries: readonly [string, T][], change: (value: T) => R): Record<string, R> =>
  Object.fromEntries(entries.map(([key, value]) => [key, change(value)]));

/** Leaves out examples, but not a property with that name. */
function withoutExamples<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutExamples) as T;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, each]) => !(key === 'example' || key === 'examples') || isSchema(each),
  );
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutExamples(each)])) as T;
}

const isSchema = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Leaves out empty parts, what says that something is absent, the headers of answers, and half of the indentation. */
const shorten = (source: string): string =>
  source
    .replace(/^\/\*\*.*?\*\/\n+/s, '')
    .replace(/^export interface components .*/ms, '')
    .replace(/^ *\w+\?: never;\n/gm, '')
    .replace(/^ *headers: \{\n *\[name: string\]: unknown;\n *\};\n/gm, '')
    .replace(/^ *parameters: \{\n *\};\n/gm, '')
    .replace(/^(?: {4})+/gm, (indentation) => ' '.repeat(indentation.length / 2));
