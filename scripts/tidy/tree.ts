/** The files a check looks at, held in memory, so that a rule can be tried on a tree that was made wrong on purpose. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { readManifest, type Manifest } from './manifest.ts';
import { readModule, type Import, type Module } from './modules.ts';
import { tokenize, type Token } from './tokens.ts';

export interface Finding {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface Rule {
  /** The names its findings carry, which a `tidy-allow` comment may name. */
  readonly names: readonly string[];
  check(tree: Tree): readonly Finding[];
}

export interface Source extends Module {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly tokens: readonly Token[];
}

export type Target =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'package' | 'builtin'; readonly name: string }
  | { readonly kind: 'unknown' };

const CODE = /\.(?:ts|tsx|mjs)$/;

export class Tree {
  /** Text by path relative to the root, with `/`; a file that is not text has the text ''. */
  readonly files: ReadonlyMap<string, string>;
  /** The folder on disk, when there is one. */
  readonly root: string | undefined;
  readonly sources: readonly Source[];
  readonly manifest: Manifest;
  readonly #aliases: readonly (readonly [prefix: string, target: string])[];

  constructor(files: Readonly<Record<string, string>>, root?: string) {
    this.files = new Map(Object.entries(files));
    this.root = root;
    this.sources = Object.entries(files)
      .filter(([path]) => CODE.test(path))
      .map(([path, text]) => readSource(path, text));
    this.manifest = readManifest(this.files.get('package.json'));
    this.#aliases = Object.entries(this.manifest.imports).map(([alias, target]) => [
      alias.replace('*', ''),
      target.replace('*', ''),
    ]);
  }

  resolve(from: string, specifier: string): Target {
    if (/^\.\.?\//.test(specifier)) return { kind: 'file', path: posix.join(posix.dirname(from), specifier) };
    if (specifier.startsWith('#')) {
      const alias = this.#aliases.find(([prefix]) => specifier.startsWith(prefix));
      if (alias === undefined) return { kind: 'unknown' };
      return { kind: 'file', path: posix.join(alias[1], specifier.slice(alias[0].length)) };
    }
    if (specifier.startsWith('node:')) return { kind: 'builtin', name: specifier };
    const parts = specifier.split('/');
    return { kind: 'package', name: parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/') };
  }

  /** Imports of files of this tree, with where they lead. */
  listEdges(source: Source): readonly (Import & { readonly path: string })[] {
    return source.imports.flatMap((entry) => {
      const target = this.resolve(source.path, entry.specifier);
      return target.kind === 'file' ? [{ ...entry, path: target.path }] : [];
    });
  }
}

function readSource(path: string, text: string): Source {
  const tokens = tokenize(text);
  return { path, text, lines: splitLines(text), tokens, ...readModule(tokens) };
}

export function splitLines(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Tests and what only tests use; they live beside the sources as well as in `tests/`. */
export function isTest(path: string): boolean {
  return path.startsWith('tests/') || path.endsWith('.test.ts') || /\/(?:testing|fixtures)\//.test(path);
}

/** `core`, `domain` … for what is below `src/`, `root` for the files directly in it, else the top folder. */
export function getRoom(path: string): string {
  const [top = '', next = '', ...rest] = path.split('/');
  if (top !== 'src') return top;
  return rest.length === 0 ? 'root' : next;
}

/** Reads what git tracks or would track; files removed from the disk are not there. */
export function readTree(root: string): Tree {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const paths = [...new Set(listed.split('\0'))].filter((path) => path !== '' && isFile(join(root, path)));
  return new Tree(Object.fromEntries(paths.sort().map((path) => [path, readText(join(root, path))])), root);
}

function isFile(path: string): boolean {
  return existsSync(dirname(path)) && (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false);
}

function readText(path: string): string {
  const bytes = readFileSync(path);
  return bytes.includes(0) ? '' : bytes.toString('utf8');
}
