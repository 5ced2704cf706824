import { expect, test } from 'vitest';
import { forwardedResponseHeaders } from '../../../services/gateway/proxy/forwarded-headers.ts';

test('removes the headers that Connection names', () => {
  const headers = { connection: 'X-One , x-two,content-length', 'x-one': '1', 'x-two': '2', 'x-three': '3' };
  expect(forwardedResponseHeaders({ ...headers, 'content-length': '4' })).toEqual({
    'x-three': '3',
    'content-length': '4',
  });
});

// Matching the spaces around commas takes quadratic time.
test('reads a long Connection header', () => {
  expect(forwardedResponseHeaders({ connection: `a${' '.repeat(1_000_000)}b`, b: '1' })).toEqual({ b: '1' });
});
