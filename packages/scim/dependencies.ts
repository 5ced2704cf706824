import type { Config } from '@gatehouse/shared/config';
import { parseJson } from '@gatehouse/shared/http/bodies';
import { type CommonDependencies, operationsOf } from '@gatehouse/shared/operation/operation';
import type { ScimHost } from './host.ts';
import { otherPaths } from './other-paths.ts';

export interface ScimDependencies extends CommonDependencies {
  config: Pick<Config<'user'>, 'PUBLIC_URL'>;
  host: ScimHost;
}

/** Declares an operation. Every path below /scim/v2 needs the SCIM token of a connection. */
export const operation = operationsOf<ScimDependencies>(async (scope, { host }) => {
  parseJson(scope, 'application/scim+json');
  await scope.register(host.bearer);
  await scope.register(otherPaths);
});
