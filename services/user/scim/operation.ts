import { parseJson } from '@gatehouse/shared/http/json';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { Connection } from '@gatehouse/sso/records';
import type { FastifyRequest } from 'fastify';
import type { ProvisioningOptions } from '../provisioning/options.ts';
import { requireScimToken } from './bearer.ts';
import { otherPaths } from './other-paths.ts';

export type ScimOptions = Pick<ProvisioningOptions, 'config' | 'db' | 'mailer' | 'now'>;

/** Declares an operation. Every path below /scim/v2 needs the SCIM token of a connection. */
export const operation = operationsOf<ScimOptions>(async (scope, options) => {
  parseJson(scope, 'application/scim+json');
  await scope.register(requireScimToken, options);
  await scope.register(otherPaths);
});

/** A call of a connection. */
export interface Call {
  options: ScimOptions;
  request: FastifyRequest;
  connection: Connection;
}

/** The address of a resource. */
export const locationOf = ({ config }: Pick<ScimOptions, 'config'>, type: 'Users' | 'Groups', id: string) =>
  `${config.PUBLIC_URL.replace(/\/$/, '')}/scim/v2/${type}/${id}`;
