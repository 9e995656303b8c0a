/** Nothing is kept that nothing uses: every source file is reached, every exported name is imported. */
import type { Finding, Rule, Source, Tree } from '../tree.ts';
import type { Export } from '../modules.ts';

const ENTRIES = new Set(['src/main.ts', 'src/cli/main.ts']);

export const reachRules: Rule = {
  names: ['dead-file', 'dead-export'],
  check: (tree) => [...deadFiles(tree), ...deadExports(tree)],
};

function deadFiles(tree: Tree): Finding[] {
  const byPath = new Map(tree.sources.map((source) => [source.path, source]));
  const waiting = tree.sources.filter((source) => ENTRIES.has(source.path) || isUnitTest(source.path));
  const reached = new Set(waiting);
  for (let source = waiting.pop(); source !== undefined; source = waiting.pop()) {
    for (const { path } of tree.edges(source)) {
      const next = byPath.get(path);
      if (next === undefined || reached.has(next)) continue;
      reached.add(next);
      waiting.push(next);
    }
  }
  return tree.sources.flatMap((source) =>
    source.path.startsWith('src/') && !reached.has(source)
      ? [{ rule: 'dead-file', file: source.path, line: 1, message: 'nothing that runs reaches this file' }]
      : [],
  );
}

function isUnitTest(path: string): boolean {
  return path.startsWith('src/') && path.endsWith('.test.ts');
}

function deadExports(tree: Tree): Finding[] {
  const taken = new Map<string, Set<string>>();
  for (const source of tree.sources) {
    for (const { path, names, how } of tree.edges(source)) {
      const known = taken.get(path) ?? new Set();
      taken.set(path, known);
      for (const name of how === 'address' ? ['*'] : names) known.add(name);
    }
  }
  return tree.sources.flatMap((source) => {
    const names = taken.get(source.path) ?? new Set<string>();
    if (names.has('*')) return [];
    return source.exports
      .filter((entry) => !names.has(entry.name) && !isSpoken(source, entry))
      .map((entry) => {
        const fate = mentions(source, entry) > 1 ? 'export it no longer' : 'remove it';
        const message = `${entry.name} is never imported: ${fate}`;
        return { rule: 'dead-export', file: source.path, line: entry.line, message };
      });
  });
}

/** A type may be exported because other exports of its file speak of it. */
function isSpoken(source: Source, entry: Export): boolean {
  return entry.isType && mentions(source, entry) > 1;
}

function mentions(source: Source, entry: Export): number {
  return source.tokens.filter(({ kind, text }) => kind === 'word' && text === entry.name).length;
}
