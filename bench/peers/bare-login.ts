import { verify } from '@node-rs/argon2';
import Fastify from 'fastify';
import jwt from 'jsonwebtoken';
import { MongoClient } from 'mongodb';

/** The peer of login: a route with the least that a durable login takes, a read, a hash, a write and a signature. */
const [port, uri = ''] = process.argv.slice(2);
const db = (await new MongoClient(uri).connect()).db();
const app = Fastify();
app.post<{ Body: { email: string; password: string } }>('/login', async ({ body: { email, password } }) => {
  const user = await db.collection('users').findOne({ email });
  if (!user || !(await verify(user.password, password)))
    throw new Error('the account of the benchmark is missing');
  await db.collection('bare_logins').insertOne({ email, at: new Date() });
  return { token: jwt.sign({ email }, 'a secret of 32 bytes, or a few more') };
});
await app.listen({ host: '127.0.0.1', port: Number(port) });
console.log('up');
