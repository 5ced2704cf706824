import Fastify from 'fastify';
import { MongoClient } from 'mongodb';

/** The peer of users-me: a route with one findOne through the official driver. */
const [port, uri = '', user_id = ''] = process.argv.slice(2);
const users = (await new MongoClient(uri).connect()).db().collection('users');
const app = Fastify();
app.get('/*', async () => {
  const user = await users.findOne({ user_id }, { projection: { _id: 0, password: 0 } });
  return user;
});
await app.listen({ host: '127.0.0.1', port: Number(port) });
console.log('up');
