import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendJson } from '../oidc/provider.ts';

interface Address {
  email: string;
  primary: boolean;
  verified: boolean;
}

const PERSON = { id: 583_231 as unknown, login: 'ada', name: 'Ada Lovelace' as string | null };
const EMAILS: Address[] = [
  { email: 'ada@old.example', primary: false, verified: true },
  { email: 'ada@github.example', primary: true, verified: true },
];

/** Starts a server that answers as GitHub Enterprise Server does. */
export async function startGitHub() {
  const github = {
    issuer: '',
    person: PERSON as Record<string, unknown>,
    emails: EMAILS as unknown,
    /** Changes the query of the answer to the browser. */
    answer: undefined as ((parameters: Record<string, string>) => Record<string, string>) | undefined,
    /** The path that is never answered. */
    hangs: undefined as string | undefined,
    calls: [] as { path: string; authorization: string | undefined }[],
    reset() {
      Object.assign(github, {
        person: PERSON,
        emails: EMAILS,
        answer: undefined,
        hangs: undefined,
        calls: [],
      });
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
  const codes = new Map<string, URLSearchParams>();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', github.issuer);
    const { authorization } = request.headers;
    github.calls.push({ path: url.pathname, authorization });
    if (github.hangs !== undefined && url.pathname.endsWith(github.hangs)) return;
    if (url.pathname === '/login/oauth/authorize') {
      const code = randomBytes(10).toString('hex');
      codes.set(code, url.searchParams);
      const target = new URL(String(url.searchParams.get('redirect_uri')));
      const answered = {
        code,
        state: String(url.searchParams.get('state')),
        iss: `${github.issuer}/login/oauth`,
      };
      target.search = new URLSearchParams(github.answer?.(answered) ?? answered).toString();
      response.writeHead(302, { location: target.href }).end();
    } else if (url.pathname === '/login/oauth/access_token') {
      const form = new URLSearchParams(await textOf(request));
      const asked = codes.get(String(form.get('code')));
      codes.delete(String(form.get('code')));
      const challenge = createHash('sha256')
        .update(String(form.get('code_verifier')))
        .digest('base64url');
      const isRight = asked?.get('code_challenge') === challenge && form.get('client_secret') !== null;
      sendJson(
        response,
        isRight
          ? { access_token: 'gho_token', token_type: 'bearer', scope: 'read:user,user:email' }
          : { error: 'bad_verification_code', error_description: 'The code is incorrect or expired.' },
      );
    } else if (authorization !== 'Bearer gho_token' || !request.headers['user-agent']) {
      sendJson(response, { message: 'Bad credentials' }, 401);
    } else if (url.pathname === '/api/v3/user') sendJson(response, github.person);
    else if (url.pathname === '/api/v3/user/emails') sendJson(response, github.emails);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  github.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return github;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
