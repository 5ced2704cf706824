import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { messagePage, postingPage, readForm, sendPage } from '../pages.ts';
import type { PracticePerson, Staff } from '../people.ts';
import { choosePage } from './choose-page.ts';
import type { Switches } from './switches.ts';

/** The client that a provider knows: Gatehouse. */
export interface Client {
  id: string;
  redirectUri: string;
}

/** The login that a code was issued for. */
export interface Grant {
  person: PracticePerson;
  scope: string[];
  nonce: string | undefined;
  code_challenge: string | undefined;
  /** Whether the person hides their address (Apple). */
  hidesEmail: boolean;
}

/** The authorization endpoint of one provider, and how it differs from the others. */
export interface Authorization {
  provider: string;
  client: Client;
  staff: Staff;
  switches: Switches;
  /** Returns the fault of a request. The person sees it; the client gets no answer. */
  faultOf?: (parameters: URLSearchParams) => string | undefined;
  /** The parameters that the client gets when the person refuses. */
  refusal: Record<string, string>;
  /** Returns the parameters that the client gets besides the code. */
  answer?: (grant: Grant) => Record<string, string>;
  canHideEmail?: boolean;
  issueCode: (grant: Grant) => string;
}

/** Answers at the authorization endpoint (RFC 6749 §4.1.1): asks who it is, and sends the browser back with a code. */
export async function authorize(
  options: Authorization,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { provider, client, staff, switches, faultOf, refusal, answer, canHideEmail, issueCode } = options;
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const redirectUri = searchParams.get('redirect_uri') ?? client.redirectUri;
  const wrong =
    (searchParams.get('client_id') !== client.id && 'invalid_client: no such client_id') ||
    (redirectUri !== client.redirectUri && `redirect_uri_mismatch: ${redirectUri} is not registered`) ||
    faultOf?.(searchParams);
  if (wrong) return sendPage(response, messagePage(`${provider}: ${wrong}`), 400);
  const back = (parameters: Record<string, string>) => {
    const state = searchParams.get('state');
    const fields = { ...(state !== null && { state }), ...parameters };
    if (searchParams.get('response_mode') === 'form_post')
      return sendPage(response, postingPage(redirectUri, fields));
    const target = new URL(redirectUri);
    for (const [name, value] of Object.entries(fields)) target.searchParams.set(name, value);
    response.writeHead(302, { location: target.href, 'cache-control': 'no-store' }).end();
  };
  if (switches.has('refuses')) return back(refusal);
  if (request.method !== 'POST') return sendPage(response, choosePage(provider, staff, canHideEmail));
  const form = await readForm(request);
  if (form.refuse !== undefined) return back(refusal);
  const person = staff.find(form.person ?? '');
  if (!person) return sendPage(response, choosePage(provider, staff, canHideEmail), 400);
  const grant: Grant = {
    person,
    scope: (searchParams.get('scope') ?? '').split(' ').filter(Boolean),
    nonce: searchParams.get('nonce') ?? undefined,
    code_challenge: searchParams.get('code_challenge') ?? undefined,
    hidesEmail: form.hide !== undefined,
  };
  back({ code: issueCode(grant), ...answer?.(grant) });
}

/** Whether the verifier fits the challenge, if there was one (RFC 7636 §4.6). */
export const isVerified = ({ code_challenge }: Grant, verifier = ''): boolean =>
  code_challenge === undefined ||
  createHash('sha256').update(verifier).digest('base64url') === code_challenge;
