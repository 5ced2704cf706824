import { createServer } from 'node:http';

/** Receives webhooks: answers 200 to a POST, never answers at /hang, and answers the count to a GET. */
let count = 0;
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(count));
    return;
  }
  if (request.url === '/hang') return;
  request.resume().once('end', () => {
    count += 1;
    response.end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log('up'));
