import { z } from 'zod';

/** An event of webhooks: what the documents, the test deliveries and the validation know of it. */
export interface EventDefinition<Data extends z.ZodType = z.ZodType> {
  /**
   * Of `data`. A version only gains fields; an incompatible change becomes an event with a new name, sent beside the
   * old one.
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

/** Rejects unknown fields, which would not be delivered. */
export const fields = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code, input }) =>
      code === 'unrecognized_keys'
        ? 'contains an unknown field'
        : input === undefined
          ? 'is required'
          : 'must be a JSON object',
  });
