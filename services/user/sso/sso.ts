import type { FastifyInstance } from 'fastify';
import type { SsoOptions } from './options.ts';

/** The operations of single sign-on and SCIM. */
export async function sso(app: FastifyInstance, options: SsoOptions): Promise<void> {
  const operations: ((app: FastifyInstance, options: SsoOptions) => Promise<void>)[] = [];
  for (const operation of operations) await app.register(operation, options);
}
