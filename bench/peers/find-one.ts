import Fastify from 'fastify';
import { MongoClient } from 'mongodb';

/** The peer of users-me: a route with one findOne through the official driver, for the user that a header names. */
const [port, uri = ''] = process.argv.slice(2);
const users = (await new MongoClient(uri).connect()).db().collection('users');
const app = Fastify();
app.get('/*', async ({ headers }) => {
  const user_id = headers['x-user-id'];
  return users.findOne({ user_id }, { projection: { _id: 0, password: 0 } });
});
await app.listen({ host: '127.0.0.1', port: Number(port) });
console.log('up');
