import Fastify from 'fastify';

/** The framework alone: the peer of health-live and the upstream of gateway. */
const app = Fastify();
app.get('/*', async () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
console.log('up');
