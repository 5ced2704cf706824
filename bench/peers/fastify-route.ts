import Fastify from 'fastify';

/** The peer of every "over a bare Fastify route": the framework and nothing else. */
const app = Fastify();
app.get('/*', async () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
console.log('up');
