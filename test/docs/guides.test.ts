import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Blocks of code that are named after the file that they show, together the whole file. */
const BLOCK = /^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm;

test.each([
  [
    'add-sign-in-to-a-react-app',
    [
      'examples/react-app/index.html',
      'examples/react-app/tsconfig.json',
      ...readdirSync('examples/react-app/src').map((name) => `examples/react-app/src/${name}`),
    ],
  ],
  ['protect-an-express-api', ['examples/express-api/api.ts']],
])('the guide %s shows its example', (guide, files) => {
  const shown: Record<string, string> = {};
  for (const [, file = '', code = ''] of readFileSync(`docs/guides/${guide}.md`, 'utf8').matchAll(BLOCK))
    shown[file] = shown[file] === undefined ? code : `${shown[file]}\n${code}`;
  expect(shown).toStrictEqual(Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')])));
});
