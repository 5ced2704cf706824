import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An OpenID Connect provider that exchanges any code: it is the nonce and the subject, joined by a dot. */
const [port] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const { privateKey, publicKey } = await generateKeyPair('RS256');
const keys = [{ ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig', kid: 'bench' }];
const documents: Record<string, object> = {
  '/jwks': { keys },
  '/.well-known/openid-configuration': {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    authorization_response_iss_parameter_supported: true,
  },
};

async function tokens(form: string) {
  const [nonce, sub] = String(new URLSearchParams(form).get('code')).split('.');
  const now = Math.floor(Date.now() / 1000);
  const id_token = await new SignJWT({
    iss: issuer,
    aud: 'gatehouse',
    sub: String(sub),
    nonce,
    iat: now,
    exp: now + 300,
    email: `${sub}@corp.example`,
    email_verified: true,
    firstName: 'Grace',
    lastName: 'Hopper',
    role: 'Viewer',
    department: 'Engineering',
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
    .sign(privateKey);
  return { access_token: 'access', token_type: 'Bearer', id_token };
}

const server = createServer(async (request, response) => {
  const form = Buffer.concat(await request.toArray()).toString();
  const body = request.url === '/token' ? await tokens(form) : documents[String(request.url)];
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
server.keepAliveTimeout = 60_000;
server.listen(Number(port), '127.0.0.1', () => console.log('up'));
