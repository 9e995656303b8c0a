/** Which files of the repository a file imports, by name alone: nothing is run. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** `from '…'`, `import '…'`, `import('…')` and `new URL('…', import.meta.url)`. */
const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)'([#.][^'\n]+)'/g;

export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** What each of the files imports; all paths are from the root. */
export function readImports(root: string, files: readonly string[]): Graph {
  const aliases = readAliases(root);
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const specifiers = [...text.matchAll(SPECIFIER)].map(([, specifier = '']) => specifier);
      const found = specifiers
        .map((specifier) => resolveSpecifier(root, aliases, file, specifier))
        .filter((path) => path !== undefined);
      return [file, new Set(found)];
    }),
  );
}

/** Folder by alias, `#core/` for `src/core/`, as `package.json` has them. */
function readAliases(root: string): ReadonlyMap<string, string> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own file
  const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly imports: Readonly<Record<string, string>>;
  };
  return new Map(
    Object.entries(imports).map(([alias, target]) => [
      alias.replace('*', ''),
      target.replace('*', '').replace('./', ''),
    ]),
  );
}

function resolveSpecifier(
  root: string,
  aliases: ReadonlyMap<string, string>,
  file: string,
  specifier: string,
): string | undefined {
  const alias = [...aliases.keys()].find((start) => specifier.startsWith(start));
  const path = specifier.startsWith('.')
    ? relative(root, join(root, dirname(file), specifier))
    : alias === undefined
      ? undefined
      : `${aliases.get(alias)}${specifier.slice(alias.length)}`;
  return path !== undefined && existsSync(join(root, path)) ? path : undefined;
}

/** Who imports a file. */
export function invert(graph: Graph): Graph {
  const importers = new Map<string, Set<string>>();
  for (const [file, imported] of graph)
    for (const path of imported) importers.set(path, (importers.get(path) ?? new Set()).add(file));
  return importers;
}

/** Everything that imports one of the files, directly or not, with the files themselves. */
export function findImporters(importers: Graph, files: Iterable<string>): Set<string> {
  const found = new Set(files);
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
  return found;
}
