import {
  cataloguePasskeyLoginContract,
  cataloguePasskeyOptionsContract,
  passkeyLoginContract,
  passkeyOptionsContract,
} from '@gatehouse/shared/contract/passkeys';
import type { Call } from '@gatehouse/shared/operation/operation';
import { requireRelyingParty } from '@gatehouse/shared/passkeys/relying-party';
import { z } from 'zod';
import type { GatewayDependencies } from '../dependencies.ts';
import { formOperation, operation, withFailures } from '../operation.ts';
import { relay } from '../proxy/response.ts';
import { asForm, asJson } from './content.ts';

/** CONTRACT.md §Passkeys. */

type Content = ReturnType<typeof asJson>;

/** Without the login throttle: nobody can guess a passkey, and an attempt names no account. */
async function forwardLogin(call: Call<GatewayDependencies>, path: string, content: Content) {
  const { auditRefusals, passkeyThrottle, loginService, request, reply } = call;
  const post = () => loginService.post(path, content, request);
  const attempt = { action: 'login', email: null } as const;
  return relay(reply, await auditRefusals(request, attempt, () => passkeyThrottle(request.ip, post)));
}

const forwardOptions = async (
  { loginService, request, reply }: Call<GatewayDependencies>,
  path: string,
  content: Content,
) => relay(reply, await loginService.post(path, content, request));

const options = formOperation(passkeyOptionsContract.line, {
  ...passkeyOptionsContract,
  fails: withFailures(passkeyOptionsContract, 'rateLimited'),
  handle: (call) => forwardOptions(call, passkeyOptionsContract.path, asForm(call.body)),
});

const catalogueOptions = operation(cataloguePasskeyOptionsContract.line, {
  ...cataloguePasskeyOptionsContract,
  fails: withFailures(cataloguePasskeyOptionsContract, 'rateLimited'),
  handle: (call) => forwardOptions(call, cataloguePasskeyOptionsContract.path, asJson(call.body)),
});

const login = formOperation(passkeyLoginContract.line, {
  ...passkeyLoginContract,
  fails: withFailures(passkeyLoginContract, 'rateLimited'),
  audits: ['login'],
  handle: (call) => forwardLogin(call, passkeyLoginContract.path, asForm(call.body)),
});

const catalogueLogin = operation(cataloguePasskeyLoginContract.line, {
  ...cataloguePasskeyLoginContract,
  fails: withFailures(cataloguePasskeyLoginContract, 'rateLimited'),
  audits: ['login'],
  handle: (call) => forwardLogin(call, cataloguePasskeyLoginContract.path, asJson(call.body)),
});

/** https://www.w3.org/TR/webauthn-3/#sctn-related-origins */
const relatedOrigins = operation('GET /.well-known/webauthn', {
  needs: 'nothing',
  summary: 'List the origins of passkeys',
  description:
    'Browsers ask here whether a page at another domain may use the passkeys of this one. 404 where passkeys are off.',
  returns: z.object({ origins: z.array(z.string()) }).meta({
    description: 'The origins where the passkeys of this domain may be used',
    examples: [{ origins: ['https://accounts.example.com', 'https://accounts.example.org'] }],
  }),
  fails: ['notFound', 'rateLimited'],
  handle: async ({ config }) => ({ origins: requireRelyingParty(config).origins }),
});

export const passkeys = [options, catalogueOptions, login, catalogueLogin, relatedOrigins];
