import { requestLoginCode, verifyLoginCode } from '@gatehouse/shared/contract/login-code';
import type { Call } from '@gatehouse/shared/operation/operation';
import type { GatewayDependencies } from '../dependencies.ts';
import { formOperation, operation } from '../operation.ts';
import { relay } from '../proxy/response.ts';
import { asForm, asJson } from './content.ts';

/** CONTRACT.md §Login by a mailed code. */
export const loginCode = [
  operation(requestLoginCode.catalogue.line, {
    ...requestLoginCode.catalogue,
    handle: (call) => forward(call, requestLoginCode.catalogue.path, asJson(call.body)),
  }),
  formOperation(requestLoginCode.direct.line, {
    ...requestLoginCode.direct,
    handle: (call) => forward(call, requestLoginCode.direct.path, asForm(call.body)),
  }),
  operation(verifyLoginCode.catalogue.line, {
    ...verifyLoginCode.catalogue,
    audits: ['login'],
    handle: (call) => forwardGuess(call, verifyLoginCode.catalogue.path, asJson(call.body)),
  }),
  formOperation(verifyLoginCode.direct.line, {
    ...verifyLoginCode.direct,
    audits: ['login'],
    handle: (call) => forwardGuess(call, verifyLoginCode.direct.path, asForm(call.body)),
  }),
];

type Content = ReturnType<typeof asJson>;

const forward = async (
  { userService, request, reply }: Call<GatewayDependencies>,
  path: string,
  content: Content,
) => relay(reply, await userService.post(path, content, request));

/** A wrong code counts as a failed login of its account, and as a wrong code of its network. */
async function forwardGuess(
  call: Call<GatewayDependencies, string, { email: string }>,
  path: string,
  content: Content,
) {
  const { auditRefusals, codeThrottle, throttle, userService, request, reply, body } = call;
  const { email } = body;
  const post = () => userService.post(path, content, request);
  const response = await auditRefusals(request, { action: 'login', email }, () =>
    throttle(email, request.ip, () => codeThrottle(request.ip, post)),
  );
  return relay(reply, response);
}
