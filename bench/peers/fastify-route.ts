import Fastify from 'fastify';

/** The peer of health-live: the framework alone. */
const app = Fastify();
app.get('/*', async () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
console.log('up');
