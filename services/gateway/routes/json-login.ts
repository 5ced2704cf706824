import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import type { Call } from '@gatehouse/shared/operation/operation';
import { z } from 'zod';
import type { GatewayDependencies } from '../dependencies.ts';
import { relay } from '../proxy/response.ts';
import type { Upstream } from '../proxy/upstreams.ts';
import { asJson } from './content.ts';

/** The field of a catalogue login that holds the CAPTCHA token. */
export const captchaField = {
  recaptcha_token: z.string().optional().meta({
    description: 'The CAPTCHA token; required after failed logins, when the gateway answers CAPTCHA_REQUIRED',
  }),
};

interface Login {
  /** Which account the attempts are counted for. */
  account: string;
  /** What a refused attempt is audited as. */
  action: AuditAction;
  /** As typed; null for a name at a directory. */
  email: string | null;
  service: Upstream;
  path: string;
}

/** Forwards a catalogue login behind the CAPTCHA and the login throttle (CONTRACT.md §CAPTCHA). */
export async function forwardLogin(
  call: Call<GatewayDependencies, string, { recaptcha_token?: string | undefined }>,
  { account, action, email, service, path }: Login,
) {
  const { config, captcha, throttle, auditRefusals, now, request, reply, body } = call;
  const { recaptcha_token, ...credentials } = body;
  const policy = config.CAPTCHA_ON_CATALOGUE_LOGIN;
  const checkCaptcha = () => captcha(recaptcha_token, request.ip, now());
  const response = await auditRefusals(request, { action, email }, async () => {
    if (policy === 'always') await checkCaptcha();
    return throttle(
      account,
      request.ip,
      () => service.post(path, asJson(credentials), request),
      policy === 'after-failures' ? checkCaptcha : undefined,
    );
  });
  return relay(reply, response);
}
