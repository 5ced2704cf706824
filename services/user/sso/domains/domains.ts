import { addOperations } from '@gatehouse/shared/http/add-operations';
import type { FastifyInstance } from 'fastify';
import type { SsoOptions } from '../options.ts';
import { addDomain } from './add.ts';
import { listDomains } from './list.ts';
import { removeDomain } from './remove.ts';
import { updateDomain } from './update.ts';
import { verifyDomain } from './verify.ts';

/** The operations under /api/v1/sso/domains. Callers have passed `requirePrincipal`. */
export async function domains(app: FastifyInstance, options: SsoOptions): Promise<void> {
  const operations = [addDomain, listDomains, verifyDomain, updateDomain, removeDomain];
  await addOperations(app, operations, options);
}
