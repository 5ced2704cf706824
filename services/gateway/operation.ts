import { AppError, type ErrorName } from '@gatehouse/shared/http/errors';
import { forms } from '@gatehouse/shared/http/forms';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { GatewayDependencies } from './dependencies.ts';

export const operation = operationsOf<GatewayDependencies>();

/** The failures of a service, and those that the gateway adds. */
export const withFailures = (
  { fails = [] }: { fails?: readonly ErrorName[] },
  ...own: readonly ErrorName[]
): readonly ErrorName[] => [...fails, ...own];

/** Declares an operation that takes a form. */
export const formOperation = operationsOf<GatewayDependencies>(async (scope) =>
  scope.register(forms, {
    duplicateError: (field) => (field === 'recaptcha_token' ? new AppError('captchaFailed') : undefined),
  }),
);
