/** What changes in a tree when files move: where each goes, and the new text of every file that names one of them. */
import { posix } from 'node:path';
import { getRoom, type Source, type Tree } from '../tidy/tree.ts';

export interface Plan {
  /** New paths by old ones. */
  readonly moves: ReadonlyMap<string, string>;
  /** New texts by new paths, of the files whose text changes. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Throws where two files would get one path, or nothing stands at a path that is to move. */
export function planMoves(tree: Tree, pairs: readonly (readonly [from: string, to: string])[]): Plan {
  const moves = new Map(pairs.flatMap(([from, to]) => listMoves(tree, from, to)));
  requireFreePaths(tree, moves);
  const sources = new Map(tree.sources.map((source) => [source.path, source]));
  const texts = new Map<string, string>();
  for (const [path, text] of tree.files) {
    const source = sources.get(path);
    const imported = source === undefined ? text : rewriteImports(tree, source, moves);
    const rewritten = rewritePaths(imported, moves, pairs);
    if (rewritten !== text) texts.set(moves.get(path) ?? path, rewritten);
  }
  return { moves, texts };
}

/** The files of a folder, or the one file. A test moves with the file that it stands beside. */
function listMoves(tree: Tree, from: string, to: string): (readonly [string, string])[] {
  if (tree.files.has(from)) {
    const tests = [from, from.replace(/\.ts$/, '.test.ts')];
    return [...new Set(tests)]
      .filter((path) => tree.files.has(path))
      .map((path) => [path, path === from ? to : to.replace(/\.ts$/, '.test.ts')]);
  }
  const inside = [...tree.files.keys()].filter((path) => path.startsWith(`${from}/`));
  if (inside.length === 0) throw new Error(`nothing stands at ${from}`);
  return inside.map((path) => [path, to + path.slice(from.length)]);
}

function requireFreePaths(tree: Tree, moves: ReadonlyMap<string, string>): void {
  const taken = new Set<string>();
  for (const to of moves.values()) {
    if (taken.has(to) || (tree.files.has(to) && !moves.has(to)))
      throw new Error(`two files would stand at ${to}`);
    taken.add(to);
  }
}

/** Every specifier of a file that leads to a file of the tree, as it has to be written after the moves. */
function rewriteImports(tree: Tree, source: Source, moves: ReadonlyMap<string, string>): string {
  const home = moves.get(source.path) ?? source.path;
  const specifiers = new Map<string, string>();
  for (const { specifier, path, how } of tree.listEdges(source)) {
    const target = moves.get(path) ?? path;
    if (home === source.path && target === path) continue;
    specifiers.set(specifier, formatSpecifier(home, target, how === 'address'));
  }
  const pattern = /(\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)'([^'\n]+)'/g;
  return source.text.replace(pattern, (whole, before: string, specifier: string) => {
    const written = specifiers.get(specifier);
    return written === undefined ? whole : `${before}'${written}'`;
  });
}

function formatSpecifier(from: string, to: string, isAddress: boolean): string {
  const room = getRoom(to);
  const isInside = to.startsWith('src/') && room !== 'root';
  if (to.startsWith('tests/support/') && !from.startsWith('tests/support/'))
    return `#testing/${to.slice('tests/support/'.length)}`;
  if (isInside && !isAddress && room !== getRoom(from)) return `#${to.slice('src/'.length)}`;
  const relative = posix.relative(posix.dirname(from), to);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/** Paths in texts: from the root and from `src/`, of files and of the folders that move. */
function rewritePaths(
  text: string,
  moves: ReadonlyMap<string, string>,
  pairs: readonly (readonly [string, string])[],
): string {
  const known = new Map([...pairs, ...moves]);
  return text.replace(/(?<![\w./#@-])(?:[\w-]+\/)+[\w.<>-]*[\w>]/g, (path) => {
    for (const prefix of ['', 'src/']) {
      const target = known.get(prefix + path);
      if (target?.startsWith(prefix) === true) return target.slice(prefix.length);
    }
    return path;
  });
}
