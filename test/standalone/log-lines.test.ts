import { PassThrough } from 'node:stream';
import { printLines, readable } from '@gatehouse/standalone/log-lines';
import { expect, test, vi } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';

const NOON = new Date(2026, 0, 15, 12, 0, 5).getTime();
const line = (fields: Record<string, unknown>) =>
  JSON.stringify({ level: 30, time: NOON, service: 'login', reqId: 'r1', ...fields });

test.each<[string, string]>([
  [line({ msg: 'Server listening' }), '12:00:05 info Server listening'],
  [line({ level: 10, msg: 'm' }), '12:00:05 trace m'],
  [line({ level: 20, msg: 'm' }), '12:00:05 debug m'],
  [line({ level: 40, msg: 'm' }), '12:00:05 warn m'],
  [line({ level: 50, msg: 'm' }), '12:00:05 error m'],
  [line({ level: 60, msg: 'm' }), '12:00:05 fatal m'],
  [line({ level: 35, msg: 'm' }), '12:00:05 35 m'],
  [
    line({ method: 'POST', path: '/v2/login', status: 200, ms: 12.3456, msg: 'answered' }),
    '12:00:05 info answered method=POST path=/v2/login status=200 ms=12.3',
  ],
  [
    line({ user_id: null, roles: ['a', 'b'], on: true, msg: 'login: success' }),
    '12:00:05 info login: success user_id=null roles=["a","b"] on=true',
  ],
  [
    line({
      level: 50,
      err: { type: 'Error', message: 'no', stack: 'Error: no\n    at x (y.ts:1)' },
      msg: 'failed',
    }),
    '12:00:05 error failed \nError: no\n    at x (y.ts:1)',
  ],
  [line({ level: 50, err: { message: 'no' }, msg: 'failed' }), '12:00:05 error failed \nno'],
])('%s', (json, text) => {
  expect(readable(json)).toBe(text);
});

test.each(['', 'plain text', '{"level":', '{"level":30', '{"levels":1}', ' {"level":30}', '[1]'])(
  '%j, which is none of pino’s, stays as it is',
  (text) => {
    expect(readable(text)).toBe(text);
  },
);

test('what a client sent cannot move the cursor, colour the terminal or begin a line', () => {
  const hostile = 'a\u001b[2J\nlogin    │ 12:00:05 info forged\r\u0007\u009b31m\u007f\u2028b';
  const printed = readable(line({ email: hostile, list: [hostile], msg: hostile, [hostile]: 'x' }));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
  expect(printed).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
  expect(printed).toContain(
    'email=a\\u001b[2J\\u000alogin    │ 12:00:05 info forged\\u000d\\u0007\\u009b31m\\u007f\\u2028b',
  );
});

test('in a stack only the ends of lines stay', () => {
  const printed = readable(line({ err: { message: '', stack: 'Error: \u001b[2Jno\n    at x' }, msg: 'm' }));
  expect(printed).toBe('12:00:05 info m \nError: \\u001b[2Jno\n    at x');
});

test('every line stands under its name, whole, however it arrives', async () => {
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text));
  const output = new PassThrough();
  printLines('login', output);
  output.write(`${line({ msg: 'one' })}\n${line({ msg: 'two' }).slice(0, 20)}`);
  output.end(`${line({ msg: 'two' }).slice(20)}\nplain\r\nlast, without an end`);
  await eventually(() => expect(printed).toHaveLength(4));
  log.mockRestore();
  expect(printed).toEqual([
    'login    │ 12:00:05 info one',
    'login    │ 12:00:05 info two',
    'login    │ plain',
    'login    │ last, without an end',
  ]);
});
