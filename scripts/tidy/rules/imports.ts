/** Imports go one way, arrive somewhere, and name the room they go to. */
import { builtinModules } from 'node:module';
import { SECTIONS } from '../manifest.ts';
import type { Import } from '../modules.ts';
import { isAt } from '../tokens.ts';
import { isTest, getRoom, type Finding, type Rule, type Source, type Tree } from '../tree.ts';

const DIRECTION: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  ui: ['core', 'ui'],
  assays: ['core', 'ui', 'analysis', 'documents', 'features', 'assays'],
  analysis: ['core', 'analysis'],
  documents: ['core', 'documents'],
  features: ['core', 'ui', 'documents', 'assays', 'features'],
  workflows: ['core', 'assays', 'documents', 'features', 'workflows'],
  sandbox: ['core', 'assays', 'features', 'workflows', 'analysis', 'sandbox'],
  transports: ['core', 'ui', 'assays', 'documents', 'features', 'workflows', 'transports'],
  adapters: ['core', 'assays', 'documents', 'features', 'adapters'],
  settings: ['core', 'transports', 'adapters', 'settings'],
  composition: [
    'core',
    'ui',
    'assays',
    'analysis',
    'documents',
    'features',
    'workflows',
    'sandbox',
    'transports',
    'adapters',
    'settings',
    'composition',
  ],
};
/** What a room may import when only types are taken. */
const TYPES_TOO: Readonly<Record<string, readonly string[]>> = {
  features: ['analysis'],
  workflows: ['analysis'],
};
/** What a test may also import: it follows a format to its assay, and an assay to the pages and the terminal. */
const TESTS_TOO: Readonly<Record<string, readonly string[]>> = {
  analysis: ['assays'],
  assays: ['cli', 'sandbox', 'transports'],
};
/** The order of the nouns: one may import what an earlier one does, and of a later one only what reaches no store. */
export const FEATURES: readonly string[] = [
  'billing',
  'jobs',
  'idempotency',
  'feedback',
  'audit',
  'notifications',
  'webhooks',
  'targets',
  'pricing',
  'controls',
  'organizations',
  'tokens',
  'updates',
  'experiments',
  'materials',
  'sequences',
  'runs',
  'results',
  'messages',
  'people',
  'shares',
  'ledger',
  'invoices',
  'payments',
  'quotes',
  'installation',
  'review',
  'queue',
];
/** The order of what crosses nouns: one may import an earlier one, never a later. */
export const WORKFLOWS: readonly string[] = ['pay', 'quote', 'order', 'run', 'analyze', 'release', 'notify'];
const STORE = /^src\/features\/.+\/(?:store|[\w-]+-store)\.ts$/;
/** Sums and searches over numbers that know nothing of proteins: pictures need the same ones. */
const NUMERICS = /^src\/analysis\/numerics\//;
/** What the parts of an assay are written with: columns of the terminal, models of instruments. */
const KITS = /^src\/(?:cli\/(?:numbers|table|terminal)|sandbox\/models\/[\w-]+)\.ts$/;
/** How the reference writes the example of an operation as a command. */
const COMMANDS = /^src\/cli\/(?:kit-flags|help-layout|siblings)\.ts$/;
const ASSAY = /^src\/assays\/([^/]+)\//;
/** What affinity and screening share. */
const SHARED_ASSAY = 'binding';
const REGISTRY = 'src/assays/registry.ts';
const ENGINE = /^src\/assays\/[^/]+\/engine\//;
const FREE = new Set(['cli', 'root', 'tests', 'scripts', 'bench', 'bin']);
const OUTSIDE_SRC = new Set(['tests', 'scripts', 'bench']);
/** The folders of `src/` that the order of imports knows. */
export const ROOMS: ReadonlySet<string> = new Set([...Object.keys(DIRECTION), 'cli']);
const BUILTINS = new Set(builtinModules.map((name) => name.replace(/^node:/, '')));

type Edge = Import & { readonly path: string };

export const importRules: Rule = {
  names: ['import-direction', 'import-target', 'import-alias', 'import-hidden', 'source-root'],
  check: (tree) => [
    ...checkAllDirections(tree),
    ...tree.sources.flatMap((source) => checkTargets(tree, source)),
    ...tree.sources.flatMap(findHiddenImports),
    ...findStrays(tree),
  ],
};

/** The root of the sources says what the product is made of, and is no drawer for what has no place. */
function findStrays(tree: Tree): Finding[] {
  return [...tree.files.keys()]
    .filter((path) => getRoom(path) === 'root' && path !== 'src/main.ts')
    .map((file) => ({
      rule: 'source-root',
      file,
      line: 1,
      message: 'src holds main.ts and folders; settings/ and composition/ are two of them',
    }));
}

/** An import that no rule can follow, because its target is computed or asked for in another way. */
function findHiddenImports({ path, tokens }: Source): Finding[] {
  if (!path.startsWith('src/') || isTest(path)) return [];
  return tokens.flatMap((token, at): Finding[] => {
    const isCall = token.kind === 'word' && isAt(tokens, at + 1, '(') && !isAt(tokens, at - 1, '.');
    if (!isCall) return [];
    const isPlain = tokens[at + 2]?.kind === 'string' && [')', ','].includes(tokens[at + 3]?.text ?? '');
    const isHidden =
      (token.text === 'import' && !isPlain) ||
      token.text === 'require' ||
      // The address of a file in a package, which is read or run; no module.
      (token.text === 'createRequire' &&
        !isAt(tokens, at + 2, 'import', '.', 'meta', '.', 'url', ')', '.', 'resolve'));
    const message =
      "no rule can follow this import: write import('…') with one plain text, or import it statically";
    return isHidden ? [{ rule: 'import-hidden', file: path, line: token.line, message }] : [];
  });
}

function checkAllDirections(tree: Tree): Finding[] {
  const reaching = findReachingStores(tree);
  return tree.sources.flatMap((source) => checkDirections(tree, source, reaching));
}

/** The files of features that load a store, themselves or through others. */
function findReachingStores(tree: Tree): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const source of tree.sources) {
    for (const { path, typeOnly } of tree.listEdges(source)) {
      if (!typeOnly) importers.set(path, [...(importers.get(path) ?? []), source.path]);
    }
  }
  const reaching = new Set([...tree.files.keys()].filter((path) => STORE.test(path)));
  for (const path of reaching) for (const importer of importers.get(path) ?? []) reaching.add(importer);
  return reaching;
}

function checkDirections(tree: Tree, source: Source, reaching: ReadonlySet<string>): Finding[] {
  return tree.listEdges(source).flatMap((edge) => {
    const reason = findRefusal(source.path, edge, reaching);
    const found: Finding[] = [];
    const at = { file: source.path, line: edge.line };
    if (reason !== undefined) found.push({ rule: 'import-direction', ...at, message: reason });
    if (isAliasNeeded(source.path, edge)) {
      const message = `${edge.specifier} leaves ${getRoom(source.path)}; use the alias of ${getRoom(edge.path)}`;
      found.push({ rule: 'import-alias', ...at, message });
    }
    return found;
  });
}

/** Why a file may not import another; undefined when it may. */
function findRefusal(from: string, edge: Edge, reaching: ReadonlySet<string>): string | undefined {
  // Data has no room: package.json, for one.
  if (edge.path.endsWith('.json')) return undefined;
  const [room, target] = [getRoom(from), getRoom(edge.path)];
  if (from.startsWith('src/') && OUTSIDE_SRC.has(target) && !isTest(from)) {
    return `src never imports ${target} (${edge.path})`;
  }
  if (from.startsWith('src/') && isTest(edge.path) && !isTest(from)) {
    return `only tests import what is made for tests (${edge.path})`;
  }
  if (from.startsWith('src/') && !isTest(from) && isPastRegistry(from, edge))
    return `an assay is reached through src/assays/registry.ts (${edge.path})`;
  if (FREE.has(room) || (isTest(from) && target === 'tests')) return undefined;
  const allowed = DIRECTION[room];
  if (allowed === undefined) return `the room ${room} has no place in the order of imports`;
  if ((room === 'documents' || room === 'features') && NUMERICS.test(edge.path)) return undefined;
  if (room === 'assays' && KITS.test(edge.path) && !ENGINE.test(from)) return undefined;
  if (room === 'composition' && COMMANDS.test(edge.path)) return undefined;
  if (isTest(from) && (TESTS_TOO[room] ?? []).includes(target)) return undefined;
  if (ENGINE.test(from) && !isTest(from) && !isForEngines(target, edge.path))
    return `an engine runs in worker threads and imports core, analysis and engines alone (${edge.path})`;
  const asType = edge.typeOnly && (TYPES_TOO[room] ?? []).includes(target);
  if (!allowed.includes(target) && !asType) return `${room} may not import ${target} (${edge.path})`;
  if (edge.typeOnly || isTest(from)) return undefined;
  if (isLater(WORKFLOWS, 'workflows', from, edge.path))
    return `a workflow imports earlier ones alone (${edge.path}); scripts/tidy/rules/imports.ts has their order`;
  if (!reaching.has(edge.path) || !isLater(FEATURES, 'features', from, edge.path)) return undefined;
  return `${getSlice(from)} stands before ${getSlice(edge.path)} and imports of it only what reaches no store (${edge.path}); what needs both is a workflow or belongs to the later one`;
}

/** Whether a file takes values of the folder of an assay that is not its own. What two assays share is no assay. */
function isPastRegistry(from: string, { path, typeOnly }: Edge): boolean {
  const assay = ASSAY.exec(path)?.[1];
  if (assay === undefined || assay === SHARED_ASSAY || typeOnly) return false;
  return from === REGISTRY ? !path.endsWith('/assay.ts') : ASSAY.exec(from)?.[1] !== assay;
}

function isForEngines(room: string, path: string): boolean {
  return room === 'core' || room === 'analysis' || ENGINE.test(path);
}

function isLater(order: readonly string[], room: string, from: string, to: string): boolean {
  if (getRoom(from) !== room || getRoom(to) !== room) return false;
  return order.indexOf(getSlice(to)) > order.indexOf(getSlice(from));
}

function getSlice(path: string): string {
  return path.split('/')[2] ?? '';
}

/** Whether a relative import goes to a room that has an alias. */
function isAliasNeeded(from: string, edge: Edge): boolean {
  if (!edge.specifier.startsWith('.') || edge.how === 'address' || !from.endsWith('.ts')) return false;
  const target = getRoom(edge.path);
  return target !== getRoom(from) && edge.path.startsWith('src/') && target !== 'root';
}

function checkTargets(tree: Tree, source: Source): Finding[] {
  const known = {
    shipped: new Set(Object.keys(tree.manifest.dependencies)),
    all: new Set(SECTIONS.flatMap((section) => Object.keys(tree.manifest[section]))),
  };
  return source.imports.flatMap((entry) => {
    const message = findMissing(tree, source, entry, known);
    return message === undefined
      ? []
      : [{ rule: 'import-target', file: source.path, line: entry.line, message }];
  });
}

function findMissing(
  tree: Tree,
  source: Source,
  entry: Import,
  known: { readonly shipped: ReadonlySet<string>; readonly all: ReadonlySet<string> },
): string | undefined {
  const target = tree.resolve(source.path, entry.specifier);
  if (target.kind === 'unknown') return `no alias of package.json matches ${entry.specifier}`;
  if (target.kind === 'file') {
    return tree.files.has(target.path) ? undefined : `${target.path} does not exist`;
  }
  if (target.kind === 'builtin') {
    const name = target.name.replace(/^node:/, '');
    const exists = BUILTINS.has(name) || BUILTINS.has(`node:${name}`) || PREFIX_ONLY.has(name);
    return exists ? undefined : `${target.name} is not a module of Node`;
  }
  if (BUILTINS.has(target.name)) return `write node:${target.name}`;
  const isShipped = source.path.startsWith('src/') && !isTest(source.path) && !entry.typeOnly;
  const allowed = isShipped ? known.shipped : known.all;
  if (allowed.has(target.name)) return undefined;
  return `${target.name} is not among the ${isShipped ? 'dependencies' : 'packages'} of package.json`;
}

/** Modules that exist only with the `node:` prefix. */
const PREFIX_ONLY = new Set(['sea', 'sqlite', 'test', 'test/reporters']);
