import { readFile } from 'node:fs/promises';
import { isMap, isNode, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import type { z } from 'zod';
import { type Declaration, declaration } from './schema.ts';

/** A file that cannot be used. The message has a line for each fault: file, line, field and what is wrong. */
export class DeclarationError extends Error {}

/** Reads and checks a declaration in YAML or JSON. @throws {DeclarationError} */
export async function readDeclaration(file: string): Promise<Declaration> {
  const lines = new LineCounter();
  const document = parseDocument(await readFile(file, 'utf8'), { lineCounter: lines, prettyErrors: false });
  const faultAt = (offset: number, text: string) => `${file}:${lines.linePos(offset).line}: ${text}`;
  if (document.errors.length > 0)
    throw new DeclarationError(
      document.errors.map(({ pos, message }) => faultAt(pos[0], message)).join('\n'),
    );
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    // An alias without its anchor, or too many of them.
    throw new DeclarationError(`${file}: ${(error as Error).message}`);
  }
  const { success, data, error } = declaration.safeParse(value ?? {});
  if (success) return data;
  const nodeAt = (path: readonly PropertyKey[]): Node | null => {
    for (let length = path.length; length > 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true);
      if (isNode(node)) return node;
    }
    return document.contents;
  };
  throw new DeclarationError(
    error.issues
      .flatMap(faultsOf)
      .map(({ path, message, key }) => {
        const node = nodeAt(path);
        const named = key === undefined ? node : keyOf(node, key);
        return faultAt(named?.range?.[0] ?? 0, `${pathOf(path, key)} ${message}`);
      })
      .join('\n'),
  );
}

interface Fault {
  path: readonly PropertyKey[];
  message: string;
  /** The key in the map at `path` that is unknown. */
  key?: string;
}

const faultsOf = (issue: z.core.$ZodIssue): Fault[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: issue.path, message: 'is unknown', key }))
    : [{ path: issue.path, message: issue.code === 'invalid_type' ? typeText(issue) : issue.message }];

/** Objects have no text of their own in the schema. */
const typeText = ({ expected, message }: z.core.$ZodIssueInvalidType): string =>
  expected === 'object' ? 'must be a map of fields' : message;

const keyOf = (node: Node | null, key: string): Node | null => {
  const pair = isMap(node)
    ? node.items.find((item) => isScalar(item.key) && item.key.value === key)
    : undefined;
  return isNode(pair?.key) ? pair.key : node;
};

/** Writes a path as code would, such as `operators[2].email`. */
const pathOf = (path: readonly PropertyKey[], key?: string): string =>
  [...path, ...(key === undefined ? [] : [key])].reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}${text && '.'}${String(part)}`),
    '',
  ) || 'the file';
