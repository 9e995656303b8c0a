/** The files that stand apart however short they are, because a registry names them. */
import { posix } from 'node:path';
import type { Import } from '../tidy/modules.ts';
import type { Source, Tree } from '../tidy/tree.ts';

type Edge = Import & { readonly path: string };

/** What the bundle makes of its own: the command line and the threads. */
const BUNDLE = 'bin/bundle.mjs';
const OPERATIONS = 'src/transports/operations.ts';
/** It loads each command when it is called. */
export const COMMANDS = 'src/cli/commands.ts';
const ASSAYS = 'src/assays/registry.ts';
/** What `shown.ts` of an assay puts together, beside which it says the rest itself. */
const SHOWN_PARTS = /\/(?:record|view)\.ts$/;

export function listEntries(tree: Tree): ReadonlySet<string> {
  const sources = new Map(tree.sources.map((source) => [source.path, source]));
  const listEdges = (path: string): readonly Edge[] => {
    const source = sources.get(path);
    return source === undefined ? [] : tree.listEdges(source);
  };
  return new Set([
    ...listBundled(sources.get(BUNDLE)),
    ...listEdges(OPERATIONS).flatMap(({ path }) => (path.endsWith('/operations.ts') ? [path] : [])),
    ...listEdges(COMMANDS).flatMap((edge) => (isCommand(edge) ? [edge.path] : [])),
    ...listAssayParts(listEdges),
  ]);
}

/** A command is taken for its `run`, as a whole, or by `import()` when it is called. */
function isCommand({ names }: Edge): boolean {
  return names.includes('run') || names.includes('*');
}

/** The texts of `export const ENTRIES = […]`. */
function listBundled(bundle: Source | undefined): string[] {
  const list = /\bENTRIES = \[([^\]]*)\]/.exec(bundle?.text ?? '')?.[1] ?? '';
  return [...list.matchAll(/'([^']+)'/g)].map(([, entry = '']) => `src/${entry}.ts`);
}

/** The entry of each assay, the parts that it loads late, and what its `shown.ts` puts together. */
function listAssayParts(listEdges: (path: string) => readonly Edge[]): string[] {
  const assays = listEdges(ASSAYS).flatMap(({ path }) =>
    posix.dirname(posix.dirname(path)) === posix.dirname(ASSAYS) && path.endsWith('/assay.ts') ? [path] : [],
  );
  return assays.flatMap((assay) => {
    const parts = listEdges(assay).flatMap(({ how, path }) => (how === 'dynamic' ? [path] : []));
    const shown = parts.filter((path) => path.endsWith('/shown.ts')).flatMap(listEdges);
    const own = shown.map(({ path }) => path).filter((path) => SHOWN_PARTS.test(path));
    return [assay, ...parts, ...own];
  });
}
