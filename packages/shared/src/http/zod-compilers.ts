import type { FastifyServerOptions } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';

/**
 * The `schemaController` of a server whose schemas are zod's. `setValidatorCompiler` would come too late: Fastify would
 * have loaded its own compilers, which take a tenth of the start of a service. Its types allow only JSON schemas here.
 */
export const ZOD_COMPILERS = {
  compilersFactory: { buildValidator: () => validatorCompiler, buildSerializer: () => serializerCompiler },
} as unknown as NonNullable<FastifyServerOptions['schemaController']>;
