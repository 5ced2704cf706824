import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Blocks of code that are named after the file that they show, together the whole file. */
const BLOCK = /^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm;

/** Those of the app, of the image and of the test kit. */
const SETTINGS_OF_OTHERS = ['VITE_GATEHOUSE_URL', 'NODE_ENV'];

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

const guides = readdirSync('docs/guides').map((name) => [
  name,
  readFileSync(`docs/guides/${name}`, 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, ''),
]);

test.each(guides)('every link of %s leads somewhere', (_name, guide = '') => {
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-');
  for (const [, path = '', anchor] of guide.matchAll(/\]\((?!http)([^)#]*)#?([^)]*)\)/g)) {
    const target =
      path === '' ? guide : path.endsWith('.md') ? readFileSync(`docs/guides/${path}`, 'utf8') : '';
    const anchors = [...target.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
    if (anchor) expect(anchors, path).toContain(anchor);
    expect(existsSync(`docs/guides/${path}`), path).toBe(true);
  }
});

test.each(guides)('every setting that %s names exists', (_name, guide = '') => {
  const settings = readFileSync('.env.example', 'utf8');
  const named = [...guide.matchAll(/`([A-Z]+_[A-Z_]+)(?:=[^`]*)?`/g)].map(([, name = '']) => name);
  const unknown = named.filter((name) => !new RegExp(`^${name}=`, 'm').test(settings));
  expect(unknown.filter((name) => !SETTINGS_OF_OTHERS.includes(name))).toStrictEqual([]);
});
