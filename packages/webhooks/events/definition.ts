import { z } from 'zod';

/** The definition of an event, for validation, test deliveries and OpenAPI. */
export interface EventDefinition<Data extends z.ZodType = z.ZodType> {
  /**
   * The version of `data`. A version only gains fields; an incompatible change becomes an event with a new name, sent
   * in addition to the old one.
   */
  version: number;
  /** One sentence for the documents. */
  summary: string;
  data: Data;
  example: z.infer<Data>;
}

/** Infers the type of the example from the schema. */
export const define = <Data extends z.ZodType>(definition: EventDefinition<Data>): EventDefinition<Data> =>
  definition;

/** Rejects unknown fields. */
export const fields = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code, input }) =>
      code === 'unrecognized_keys'
        ? 'contains an unknown field'
        : input === undefined
          ? 'is required'
          : 'must be a JSON object',
  });
