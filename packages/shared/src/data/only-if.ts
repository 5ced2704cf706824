import type { Document } from 'mongodb';

/** Fields for the `$set` of an update with a pipeline that change only if a condition holds, an expression too. */
export const onlyIf = (condition: Document, fields: Readonly<Record<string, unknown>>): Document =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, { $cond: [condition, value, `$${field}`] }]),
  );
