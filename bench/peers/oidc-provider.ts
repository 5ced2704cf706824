import { createServer } from 'node:http';

/**
 * An OpenID Connect provider that does as little as it can: the benchmark signs the ID tokens beforehand and gives them
 * to it by their codes, so that it takes no core from either side.
 */
const [port, key = ''] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const tokens = new Map<string, string>();
const documents: Record<string, object> = {
  '/jwks': { keys: [JSON.parse(key)] },
  '/.well-known/openid-configuration': {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    authorization_response_iss_parameter_supported: true,
  },
};

function answer(path: string, body: string): object | undefined {
  if (path === '/token') {
    const code = new URLSearchParams(body).get('code') ?? '';
    return { access_token: 'access', token_type: 'Bearer', id_token: tokens.get(code) };
  }
  if (path !== '/codes') return documents[path];
  for (const [code, token] of Object.entries<string>(JSON.parse(body))) tokens.set(code, token);
  return {};
}

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify(answer(String(request.url), body)));
});
server.keepAliveTimeout = 60_000;
server.listen(Number(port), '127.0.0.1', () => console.log('up'));
