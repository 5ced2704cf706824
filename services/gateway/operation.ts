import type { GatewayConfig } from '@gatehouse/shared/config';
import type { Prefix } from '@gatehouse/shared/contract/prefixes';
import { AppError } from '@gatehouse/shared/http/errors';
import { forms } from '@gatehouse/shared/http/forms';
import { operationsOf } from '@gatehouse/shared/operation/operation';
import type { CaptchaGate } from './captcha/gate.ts';
import type { Database } from './database.ts';
import type { AuditRefusals } from './policy/audit-refusals.ts';
import type { CodeThrottle } from './policy/code-throttle.ts';
import type { LoginThrottle } from './policy/login-throttle.ts';
import type { Principals } from './policy/principals.ts';
import type { Idempotency } from './proxy/idempotency.ts';
import type { Upstream } from './proxy/upstreams.ts';

export interface GatewayDependencies {
  config: GatewayConfig;
  db: Database;
  captcha: CaptchaGate;
  throttle: LoginThrottle;
  codeThrottle: CodeThrottle;
  auditRefusals: AuditRefusals;
  loginService: Upstream;
  userService: Upstream;
  /** What serves each prefix; undefined for a platform service that is not configured. */
  upstreams: Record<Prefix, Upstream | undefined>;
  principals: Principals;
  idempotency: Idempotency;
  /** Returns Unix milliseconds. */
  now: () => number;
}

export const operation = operationsOf<GatewayDependencies>();

/** Declares an operation that takes a form. */
export const formOperation = operationsOf<GatewayDependencies>(async (scope) =>
  scope.register(forms, {
    duplicateError: (field) => (field === 'recaptcha_token' ? new AppError('captchaFailed') : undefined),
  }),
);
