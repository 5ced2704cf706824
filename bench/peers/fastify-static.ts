import { fileURLToPath } from 'node:url';
import files from '@fastify/static';
import Fastify from 'fastify';

/** @fastify/static alone, with the files of the account pages: the peer of pages. */
const app = Fastify();
await app.register(files, {
  root: fileURLToPath(new URL('../../packages/account-pages/browser', import.meta.url)),
});
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
console.log('up');
