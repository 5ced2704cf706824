import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import type { Call } from '@gatehouse/shared/operation/operation';
import type { GatewayDependencies } from '../dependencies.ts';
import { relay } from '../proxy/response.ts';
import type { Upstream } from '../proxy/upstreams.ts';

interface FactorLogin {
  service: Upstream;
  path: string;
  /** What a refused attempt is audited as. */
  action: AuditAction;
  /** What is sent to the service. */
  content: { type: string; text: string };
}

/**
 * Forwards the second step of a login behind the throttle of codes (CONTRACT.md §Second factor). The password has passed
 * the CAPTCHA and the login throttle.
 */
export async function forwardFactorLogin(
  { auditRefusals, factorThrottle, request, reply }: Call<GatewayDependencies>,
  { service, path, action, content }: FactorLogin,
) {
  const post = () => service.post(path, content, request);
  const attempt = { action, email: null };
  return relay(reply, await auditRefusals(request, attempt, () => factorThrottle(request.ip, post)));
}
