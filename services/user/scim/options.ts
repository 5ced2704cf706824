import type { FastifyRequest } from 'fastify';
import type { SsoOptions } from '../sso/options.ts';
import type { Connection } from '../sso/records.ts';

export type ScimOptions = Pick<SsoOptions, 'config' | 'db' | 'mailer' | 'now'>;

/** A call of a connection. */
export interface Call {
  options: ScimOptions;
  request: FastifyRequest;
  connection: Connection;
}

/** The address of a resource. */
export const locationOf = ({ config }: Pick<ScimOptions, 'config'>, type: 'Users' | 'Groups', id: string) =>
  `${config.PUBLIC_URL.replace(/\/$/, '')}/scim/v2/${type}/${id}`;
