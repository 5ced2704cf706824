import type { Connection } from '@gatehouse/sso/connection-records';
import type { FastifyRequest } from 'fastify';
import type { ProvisioningOptions } from '../provisioning/options.ts';

/** A call of a connection. */
export interface ScimCall {
  options: ProvisioningOptions;
  request: FastifyRequest;
  connection: Connection;
}
