import type { IncomingMessage, ServerResponse } from 'node:http';
import { messagePage, readForm, sendPage } from '../pages.ts';
import { authorize, type Grant, isVerified } from './authorization.ts';
import { type Identity, identityOf } from './identity.ts';
import type { ProviderOptions } from './provider-options.ts';
import { sendJson } from './send-json.ts';
import { createTickets } from './tickets.ts';

const CLIENT_ID = 'Ov23lipractice';
const CLIENT_SECRET = 'practice0client0secret';

/** The paths of the API at a GitHub Enterprise Server; github.com has them at api.github.com. */
const API = '/api/v3';
const DOCUMENTATION = 'https://docs.github.com/apps/managing-oauth-apps';

/** GitHub (https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps): OAuth 2.0 alone. */
export function createGitHub({ base, redirectUri, staff, switches }: ProviderOptions) {
  const codes = createTickets<Grant>();
  const accessTokens = createTickets<Grant>('gho_');
  const authorization = {
    provider: 'GitHub',
    client: { id: CLIENT_ID, redirectUri },
    staff,
    switches,
    answer: () => ({ iss: `${base}/login/oauth` }),
    refusal: {
      iss: `${base}/login/oauth`,
      error: 'access_denied',
      error_description: 'The user has denied your application access.',
      error_uri: `${DOCUMENTATION}/troubleshooting-authorization-request-errors/#access-denied`,
    },
    issueCode: (grant: Grant) => codes.issue(grant),
  };

  /** Answers 200 whatever happens, as a form unless the client accepts JSON. */
  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = exchanged(await readForm(request));
    if (/application\/json/.test(request.headers.accept ?? '')) return sendJson(response, answer);
    response
      .writeHead(200, { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' })
      .end(new URLSearchParams(answer).toString());
  }

  function exchanged(form: Record<string, string>): Record<string, string> {
    const fail = (error: string, error_description: string) => ({
      error,
      error_description,
      error_uri: `${DOCUMENTATION}/troubleshooting-oauth-app-access-token-request-errors/#${error.replaceAll('_', '-')}`,
    });
    if (form.client_id !== CLIENT_ID || form.client_secret !== CLIENT_SECRET)
      return fail('incorrect_client_credentials', 'The client_id and/or client_secret passed are incorrect.');
    if (form.redirect_uri !== undefined && form.redirect_uri !== redirectUri)
      return fail(
        'redirect_uri_mismatch',
        'The redirect_uri MUST match the registered callback URL for this application.',
      );
    const grant = codes.take(form.code ?? '');
    if (!grant || !isVerified(grant, form.code_verifier) || switches.has('token-error'))
      return fail('bad_verification_code', 'The code passed is incorrect or expired.');
    return {
      access_token: accessTokens.issue(grant),
      token_type: 'bearer',
      scope: grant.scope.join(','),
    };
  }

  function api(path: string, request: IncomingMessage, response: ServerResponse) {
    const { authorization = '', 'user-agent': agent } = request.headers;
    if (!agent) {
      const text =
        'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.';
      return void response.writeHead(403, { 'content-type': 'text/plain' }).end(text);
    }
    const refuse = (status: number, message: string) =>
      sendJson(
        response,
        { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
        status,
      );
    const grant = accessTokens.find(authorization.replace(/^(?:bearer|token) /i, ''));
    if (!grant) return refuse(401, 'Bad credentials');
    const { person, scope } = grant;
    const identity = identityOf(person, switches);
    const headers = { 'x-oauth-scopes': scope.join(', '), 'x-github-media-type': 'github.v3; format=json' };
    if (path === '/user') return sendJson(response, accountOf(person.uid, identity), 200, headers);
    if (path === '/user/emails' && scope.some((name) => name === 'user' || name === 'user:email'))
      return sendJson(response, addressesOf(person.uid, identity), 200, headers);
    refuse(404, 'Not Found');
  }

  const listener = async (path: string, request: IncomingMessage, response: ServerResponse) => {
    if (path === '/login/oauth/authorize') return authorize(authorization, request, response);
    if (path === '/login/oauth/access_token' && request.method === 'POST') return exchange(request, response);
    if (path.startsWith(`${API}/`)) return api(path.slice(API.length), request, response);
    sendPage(response, messagePage('There is no such page.'), 404);
  };
  return { listener, settings: { ISSUER: base, CLIENT_ID, CLIENT_SECRET } };
}

const idOf = ({ seed }: Identity): number => seed.readUInt32BE();

/** GET /user. The address is null, because the people have made none public. */
const accountOf = (login: string, identity: Identity) => ({
  login,
  id: idOf(identity),
  node_id: `U_${identity.seed.toString('base64url', 0, 9)}`,
  avatar_url: `https://avatars.githubusercontent.com/u/${idOf(identity)}?v=4`,
  type: 'User',
  name: `${identity.firstName} ${identity.lastName}`,
  email: null,
});

/** GET /user/emails. The second address is verified, but reaches nobody. */
const addressesOf = (login: string, identity: Identity) => {
  const { email, isVerified } = identity;
  const noreply = `${idOf(identity)}+${login}@users.noreply.practice.test`;
  return [
    ...(email ? [{ email, primary: true, verified: isVerified, visibility: 'private' }] : []),
    { email: noreply, primary: false, verified: true, visibility: null },
  ];
};
