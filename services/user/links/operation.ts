import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { SocialRoutes } from '@gatehouse/sso/social-routes';
import type { LinkOptions } from './options.ts';

export type LinkDependencies = LinkOptions & {
  /** Begins a login at a provider. */
  social: SocialRoutes;
};

/** Declares an operation on the links of the caller. */
export const operation = operationsOf<LinkDependencies>();
