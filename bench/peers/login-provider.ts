import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { inTurns, PEOPLE } from '../people.ts';

/** An OpenID Connect provider where the next one of several people is signed in already: it redirects and signs. */
const [port] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const { privateKey, publicKey } = await generateKeyPair('RS256');
const key = { ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig', kid: 'bench' };
const people = inTurns(PEOPLE);
const documents: Record<string, object> = {
  '/jwks': { keys: [key] },
  '/.well-known/openid-configuration': {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: true,
  },
};

/** Signs for the next person. The code is the nonce. */
async function tokensOf(nonce: string, audience: string) {
  const { email } = people.next().value;
  const id_token = await new SignJWT({ nonce, email, email_verified: true, name: 'Bench' })
    .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(email)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey);
  return { access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token };
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(String(request.url), issuer);
  if (pathname === '/auth') {
    const back = new URL(String(searchParams.get('redirect_uri')));
    const [state, code] = [String(searchParams.get('state')), String(searchParams.get('nonce'))];
    back.search = String(new URLSearchParams({ state, code, iss: issuer }));
    response.writeHead(302, { location: back.href }).end();
    return;
  }
  const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
  const body =
    pathname === '/token' ? await tokensOf(String(form.get('code')), 'bench') : documents[pathname];
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
server.keepAliveTimeout = 60_000;
server.listen(Number(port), '127.0.0.1', () => console.log('up'));
