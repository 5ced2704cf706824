import { AppError } from '@gatehouse/shared/http/errors';
import { forms } from '@gatehouse/shared/http/forms';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { GatewayDependencies } from './dependencies.ts';

export const operation = operationsOf<GatewayDependencies>();

/** Declares an operation that takes a form. */
export const formOperation = operationsOf<GatewayDependencies>(async (scope) =>
  scope.register(forms, {
    duplicateError: (field) => (field === 'recaptcha_token' ? new AppError('captchaFailed') : undefined),
  }),
);
