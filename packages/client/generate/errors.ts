/** The error table and the examples of its details, as `packages/shared/src/http/errors.ts` has them. */
export interface ErrorTable {
  errors: Readonly<Record<string, readonly [status: number, text: string, code: string]>>;
  details: Readonly<Record<string, unknown>>;
}

/** Returns the source of the error table of the client, with the types of the details that are no text. */
export function errorsSource({ errors, details }: ErrorTable): string {
  const rows = Object.entries(errors).map(([name, row]) => `  ${name}: ${JSON.stringify(row)},`);
  const types = Object.entries(details).map(([name, example]) => `  ${name}: ${typeOf(example)};`);
  return `// Written by \`npm run client\` from the error table of the services. Do not edit.

/** Every failure of the API by its name: status, text, code. */
export const ERRORS = {
${rows.join('\n')}
} as const;

/** The details of failures that say how to go on. */
export interface ErrorDetails {
${types.join('\n')}
}
`;
}

/** Returns the TypeScript type of an example. An empty list says nothing about its items. */
function typeOf(example: unknown): string {
  if (Array.isArray(example)) return `${example.length === 0 ? 'unknown' : typeOf(example[0])}[]`;
  if (typeof example !== 'object' || example === null) return typeof example;
  const fields = Object.entries(example).map(([name, value]) => `${name}: ${typeOf(value)}`);
  return `{ ${fields.join('; ')} }`;
}
