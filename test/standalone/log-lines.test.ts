import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { printLines } from '@gatehouse/standalone/log-lines';
import { expect, test } from 'vitest';

const NOON = new Date(2026, 0, 15, 12, 0, 5).getTime();
const line = (fields: Record<string, unknown>) =>
  JSON.stringify({ level: 30, time: NOON, service: 'login', reqId: 'r1', ...fields });

/** What is printed when a process named `login` writes these chunks. */
async function print(chunks: string[], { hasColors }: { hasColors?: () => boolean } = {}): Promise<string> {
  const output = new PassThrough();
  const destination = Object.assign(new PassThrough(), hasColors && { hasColors });
  printLines('login', output, destination);
  for (const chunk of chunks) output.write(chunk);
  output.end(() => output.once('close', () => destination.end()));
  return text(destination);
}

test.each<[string, string[]]>([
  [line({ msg: 'Server listening' }), ['[12:00:05] INFO: Server listening']],
  [line({ level: 10, msg: 'm' }), ['[12:00:05] TRACE: m']],
  [line({ level: 20, msg: 'm' }), ['[12:00:05] DEBUG: m']],
  [line({ level: 40, msg: 'm' }), ['[12:00:05] WARN: m']],
  [line({ level: 50, msg: 'm' }), ['[12:00:05] ERROR: m']],
  [line({ level: 60, msg: 'm' }), ['[12:00:05] FATAL: m']],
  [line({ level: 35, msg: 'm' }), ['[12:00:05] USERLVL: m']],
  [
    line({ method: 'POST', path: '/v2/login', status: 200, ms: 12.3, msg: 'answered' }),
    ['[12:00:05] INFO: answered {"method":"POST","path":"/v2/login","status":200,"ms":12.3}'],
  ],
  [
    line({ user_id: null, roles: ['a', 'b'], on: true, msg: 'login: success' }),
    ['[12:00:05] INFO: login: success {"user_id":null,"roles":["a","b"],"on":true}'],
  ],
  [
    line({
      level: 50,
      err: { type: 'Error', message: 'no', stack: 'Error: no\n    at x (y.ts:1)' },
      msg: 'm',
    }),
    [
      '[12:00:05] ERROR: m ',
      '    err: {',
      '      "type": "Error",',
      '      "message": "no",',
      '      "stack":',
      '          Error: no',
      '              at x (y.ts:1)',
      '    }',
    ],
  ],
])('formats %s', async (json, lines) => {
  expect(await print([`${json}\n`])).toBe(lines.map((text) => `login    │ ${text}\n`).join(''));
});

test.each(['', 'plain text', '{"level":', '{"level":30', '{"levels":1}', ' {"level":30}', '[1]'])(
  'leaves %j unchanged, which pino did not write',
  async (other) => {
    expect(await print([`${other}\n`])).toBe(`login    │ ${other}\n`);
  },
);

test('a client’s text cannot move the cursor, color the terminal or begin a line', async () => {
  const hostile = 'a\u001b[2J\nlogin    │ [12:00:05] INFO: forged\r\u0007\u009b31m\u007f\u2028b';
  const printed = await print([
    `${line({ email: hostile, list: [hostile], msg: hostile, [hostile]: 'x' })}\n`,
  ]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about control characters.
  expect(printed.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
  expect(printed).toContain(
    '"email":"a\\u001b[2J\\u000alogin    │ [12:00:05] INFO: forged\\u000d\\u0007\\u009b31m\\u007f\\u2028b"',
  );
});

test('an error’s text cannot drive the terminal, and its stack keeps its lines', async () => {
  const err = { message: '\u001b[2Jno', stack: 'Error: \u001b[2Jno\n    at x' };
  expect(await print([`${line({ err, msg: 'm' })}\n`])).toMatch(
    /^login {4}│ +Error: \\u001b\[2Jno\nlogin {4}│ +at x$/m,
  );
});

test('puts the name before each whole line, however the chunks arrive', async () => {
  const two = line({ msg: 'two' });
  const chunks = [
    `${line({ msg: 'one' })}\n${two.slice(0, 20)}`,
    `${two.slice(20)}\nplain\r\nlast, unterminated`,
  ];
  expect(await print(chunks)).toBe(
    `login    │ [12:00:05] INFO: one
login    │ [12:00:05] INFO: two
login    │ plain
login    │ last, unterminated
`,
  );
});

test.each([true, false])('colors the level on a terminal only (colors: %s)', async (colors) => {
  const printed = await print([`${line({ msg: 'm' })}\n`], { hasColors: () => colors });
  expect(printed.includes('\u001b[32mINFO\u001b[39m')).toBe(colors);
});
