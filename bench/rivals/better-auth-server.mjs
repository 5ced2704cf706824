import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { passkey } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { emailOTP, genericOAuth } from 'better-auth/plugins';

/** better-auth with passwords, e-mailed codes, passkeys and a provider, on a database in a file. A code is read at /codes, without a mail. */
const [port, file, provider] = process.argv.slice(2);
const baseURL = `http://127.0.0.1:${port}`;
const { issuer, id: clientId, secret: clientSecret } = JSON.parse(provider);
const codes = new Map();
const database = new DatabaseSync(file);
database.exec('PRAGMA journal_mode = WAL');
const options = {
  baseURL,
  secret: 'a secret of the bench, 32 bytes and more',
  database,
  trustedOrigins: [baseURL],
  rateLimit: { enabled: false },
  emailAndPassword: { enabled: true, requireEmailVerification: true },
  plugins: [
    emailOTP({
      sendVerificationOnSignUp: true,
      sendVerificationOTP: async ({ email, otp }) => void codes.set(email, otp),
    }),
    passkey(),
    genericOAuth({
      config: [
        {
          providerId: 'bench',
          discoveryUrl: `${issuer}/.well-known/openid-configuration`,
          clientId,
          clientSecret,
          scopes: ['openid', 'email', 'profile'],
          pkce: true,
        },
      ],
    }),
  ],
};
await (await getMigrations(options)).runMigrations();
const handle = toNodeHandler(betterAuth(options));
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, baseURL);
  if (pathname === '/codes') response.end(codes.get(searchParams.get('email')) ?? '');
  else void handle(request, response);
});
server.listen(Number(port), '127.0.0.1');
