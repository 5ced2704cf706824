import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * `npm run build -w gatehouse` writes the package to `dist/`, with modules for `import` and for `require`, to be
 * published from there: in the repository everything imports the source.
 */

const here = new URL('./', import.meta.url);
const dist = new URL('dist/', here);
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const FORMATS = { esm: 'module', cjs: 'commonjs' };

await rm(dist, { recursive: true, force: true });
for (const [format, type] of Object.entries(FORMATS)) {
  // The compiler takes the format of a module from the package.json above its source.
  const source = new URL(`work/${format}/`, dist);
  await cp(new URL('src/', here), source, { recursive: true });
  await mkdir(new URL(`${format}/`, dist));
  for (const folder of [source, new URL(`${format}/`, dist)])
    await writeFile(new URL('package.json', folder), JSON.stringify({ type }));
  const options = { rootDir: '.', outDir: `../../${format}` };
  const config = {
    extends: '../../../tsconfig.build.json',
    compilerOptions: options,
    include: ['.'],
    exclude: [],
  };
  await writeFile(new URL('tsconfig.json', source), JSON.stringify(config));
  execFileSync(process.execPath, [tsc, '--project', fileURLToPath(source)], { stdio: 'inherit' });
}
await rm(new URL('work/', dist), { recursive: true });

const {
  private: _,
  scripts,
  devDependencies,
  exports,
  ...manifest
} = JSON.parse(await readFile(new URL('package.json', here), 'utf8'));
/** `./src/client.ts` becomes what `import` and `require` load, each with its types. */
const published = (source: string) => {
  const name = source.replace(/^\.\/src\/(.+)\.ts$/, '$1');
  const of = (format: string) => ({ types: `./${format}/${name}.d.ts`, default: `./${format}/${name}.js` });
  return { import: of('esm'), require: of('cjs') };
};
const entries = Object.entries(exports as Record<string, string>);
const all = Object.fromEntries(entries.map(([path, source]) => [path, published(source)]));
await writeFile(
  new URL('package.json', dist),
  `${JSON.stringify({ ...manifest, exports: all }, undefined, 2)}\n`,
);
await cp(new URL('README.md', here), new URL('README.md', dist));
await cp(new URL('../../LICENSE', here), new URL('LICENSE', dist));
