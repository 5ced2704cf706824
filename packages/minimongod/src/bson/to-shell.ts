import type { Binary, Timestamp } from 'bson';
import { typeName } from './types.ts';
import type { Doc } from './value.ts';

/** A value as MongoDB's error messages print it: { email: "a@b.c", n: 1 }. */
export function toShell(value: unknown): string {
  switch (typeName(value)) {
    case 'missing':
      return 'undefined';
    case 'string':
      return JSON.stringify(value);
    case 'double': {
      const number = Number(String(value));
      return Number.isInteger(number) ? number.toFixed(1) : String(number);
    }
    case 'decimal':
      return `Decimal128('${String(value)}')`;
    case 'objectId':
      return `ObjectId('${String(value)}')`;
    case 'date':
      return `new Date(${(value as Date).getTime()})`;
    case 'timestamp': {
      const { t, i } = value as Timestamp;
      return `Timestamp(${t}, ${i})`;
    }
    case 'binData': {
      const { sub_type: subtype, buffer } = value as Binary;
      return `BinData(${subtype}, ${Buffer.from(buffer).toString('hex').toUpperCase()})`;
    }
    case 'array': {
      const elements = (value as unknown[]).map(toShell);
      return elements.length ? `[ ${elements.join(', ')} ]` : '[]';
    }
    case 'object': {
      const fields = Object.entries(value as Doc).map(([name, field]) => `${name}: ${toShell(field)}`);
      return fields.length ? `{ ${fields.join(', ')} }` : '{}';
    }
    case 'minKey':
      return 'MinKey';
    case 'maxKey':
      return 'MaxKey';
    case 'regex': {
      const { pattern, options } = value as { pattern: string; options: string };
      return `/${pattern}/${options}`;
    }
    default:
      return String(value);
  }
}
