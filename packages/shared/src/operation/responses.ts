import { z } from 'zod';

/** An answer that is always the same. The handler returns nothing. */
export interface Message<Text extends string = string> {
  schema: z.ZodType;
  fixed: { message: Text };
}

/** @param description what has happened, for the document. */
export function message<Text extends string>(text: Text, description: string): Message<Text> {
  const fixed = { message: text };
  const schema = z.object({ message: z.literal(text) }).meta({ description, examples: [fixed] });
  return { schema, fixed };
}

export type Returns = z.ZodType | Message | Readonly<Record<number, z.ZodType>>;

/** The type that a handler returns, by the answers that its operation declares. */
export type OutputOf<Answer> = Answer extends z.ZodType
  ? z.input<Answer>
  : {
      [Status in keyof Answer]: Answer[Status] extends z.ZodType ? z.input<Answer[Status]> : never;
    }[keyof Answer];
