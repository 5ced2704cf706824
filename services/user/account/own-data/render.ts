import type { z } from 'zod';

/** A part of the document. Whatever it reads is projected to its schema: no other field is sent. */
export interface Section<Subject> {
  schema: z.ZodType;
  /** Whether it is an array, whose items have the schema. */
  isList: boolean;
  read(subject: Subject): AsyncIterable<unknown>;
}

/** The functions with which the sections about a subject are declared. */
export const sectionsOf = <Subject>() => ({
  one: <Schema extends z.ZodType>(
    schema: Schema,
    read: (subject: Subject) => z.input<Schema> | Promise<z.input<Schema>>,
  ): Section<Subject> => ({
    schema,
    isList: false,
    async *read(subject) {
      yield await read(subject);
    },
  }),
  list: <Item extends z.ZodType>(
    schema: Item,
    read: (subject: Subject) => AsyncIterable<z.input<Item>>,
  ): Section<Subject> => ({ schema, isList: true, read }),
});

/** Renders one JSON object with a member for each section, which is read when the reader has come to it. */
export async function* render<Subject>(
  sections: Readonly<Record<string, Section<Subject>>>,
  subject: Subject,
): AsyncGenerator<string> {
  let before = '{\n';
  for (const [name, { schema, isList, read }] of Object.entries(sections)) {
    yield `${before}${JSON.stringify(name)}:${isList ? '[' : ''}`;
    let joint = '';
    for await (const value of read(subject)) {
      yield joint + JSON.stringify(schema.parse(value));
      joint = ',\n';
    }
    if (isList) yield ']';
    before = ',\n';
  }
  yield '}\n';
}
