import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { ScimListQuery } from './list-query.ts';
import type { Projection } from './projection.ts';
import type { Json } from './schemas.ts';

/** The operations on one type of resource. They return presented resources and throw `ScimError`. */
export interface ResourceStore {
  create(request: FastifyRequest, body: unknown): Promise<Json>;
  get(request: FastifyRequest, id: string, want: Projection): Promise<Json>;
  list(request: FastifyRequest, query: ScimListQuery, want: Projection): Promise<object>;
  /** @param ifMatch the versions that may be replaced; any without it. */
  replace(request: FastifyRequest, id: string, body: unknown, ifMatch: string | undefined): Promise<Json>;
  /** Undefined where the resource may be too large to return. */
  patch(
    request: FastifyRequest,
    id: string,
    body: unknown,
    ifMatch: string | undefined,
  ): Promise<Json | undefined>;
  remove(request: FastifyRequest, id: string, ifMatch: string | undefined): Promise<void>;
}

/** The interface to the service that the package runs in. */
export interface ScimHost {
  /** Requires the SCIM token on every route of its scope. 401 comes before 404. */
  bearer: FastifyPluginAsync;
  users: ResourceStore & {
    /** Creates many users. @returns for each body, in order, what was created or why not. */
    createMany(
      request: FastifyRequest,
      bodies: readonly unknown[],
    ): Promise<readonly ({ location: string; version: string } | { error: unknown })[]>;
  };
  groups: ResourceStore;
}
