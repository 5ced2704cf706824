import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { parse } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { memoize } from './memoize.ts';

/** A content coding of a file, with its validator (RFC 9110 §8.8.3). */
interface Encoded {
  body: Buffer;
  etag: string;
}

/** The content codings that are served, the best one first. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number] | 'identity';

/** A file that browsers load. Its path names its content, so what is at the path never changes. */
export interface Asset {
  path: string;
  type: string;
  /** Encodes the content, once: at its first request, so that a start compresses nothing. */
  encoded: (coding: Coding) => Promise<Encoded>;
}

/** Content types by extension. TypeScript is served as JavaScript. */
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Names content by its digest. */
export function createAsset(file: string, content: string): Asset {
  const identity = Buffer.from(content);
  const { name, ext } = parse(file);
  const extension = ext === '.ts' || ext === '.mjs' ? '.js' : ext;
  const digest = createHash('sha256').update(identity).digest('base64url').slice(0, 12);
  return {
    path: `/assets/${name}.${digest}${extension}`,
    type: TYPES[extension] ?? 'application/octet-stream',
    encoded: memoize((coding: Coding) => encode(identity, coding)).get,
  };
}

const COMPRESS = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
  identity: async (body: Buffer) => body,
};

async function encode(identity: Buffer, coding: Coding): Promise<Encoded> {
  const body = await COMPRESS[coding](identity);
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/** A comment on lines of its own. Readers of the source need it, browsers do not: a tenth of what a first visit loads. */
const COMMENT = /^[ \t]*(?:\/\/.*|\/\*[\s\S]*?\*\/)[ \t]*\n/gm;

/** A browser module. */
export interface Module {
  asset: Asset;
  /** The paths of the module and of everything that it imports statically. */
  closure: ReadonlySet<string>;
}

/** Matches the specifier in `from '…'`, `import '…'` and `import('…')`. */
const IMPORT = /(\bfrom\s*|\bimport\s*|\bimport\s*\(\s*)(['"])([\w@./-]+)\2/g;

/**
 * Loads browser modules and what they import: strips their types and replaces every specifier with the path of the
 * asset, so a module's name changes with what it imports. There is no bundle; a page preloads what it needs.
 * Modules must not import each other in a circle.
 */
export function createModules() {
  const modules = memoize(read);

  async function read(href: string): Promise<Module> {
    const url = new URL(href);
    const source = await readFile(url, 'utf8');
    const code = url.pathname.endsWith('.ts') ? stripTypeScriptTypes(source).replace(COMMENT, '') : source;
    const closure = new Set<string>();
    const paths = new Map<string, string>();
    for (const [, before = '', , specifier = ''] of code.matchAll(IMPORT)) {
      const imported = await load(resolve(specifier, url));
      paths.set(specifier, imported.asset.path);
      if (!before.endsWith('(')) for (const path of imported.closure) closure.add(path);
    }
    const rewritten = code
      .replace(IMPORT, (_, before, quote, specifier) => `${before}${quote}${paths.get(specifier)}${quote}`)
      .replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
    const asset = createAsset(url.pathname, rewritten);
    return { asset, closure: closure.add(asset.path) };
  }

  const load = (url: URL): Promise<Module> => modules.get(url.href);

  return {
    load,
    /** Returns every module that has been loaded. */
    all: modules.all,
  };
}

/** Resolves a specifier as Node does; of a package's file and its minified sibling, the minified one. */
function resolve(specifier: string, importer: URL): URL {
  if (specifier.startsWith('.')) return new URL(specifier, importer);
  const url = new URL(import.meta.resolve(specifier));
  const minified = new URL(url.href.replace(/\.js$/, '.min.js'));
  return existsSync(minified) ? minified : url;
}
