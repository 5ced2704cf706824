import type { ServerResponse } from 'node:http';

export const sendJson = (
  response: ServerResponse,
  body: object,
  status = 200,
  headers: Record<string, string> = {},
): void =>
  void response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    })
    .end(JSON.stringify(body));
