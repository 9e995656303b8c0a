/** SQL stands in stores and nowhere else, and a store function says by a type whose rows it may touch. */
import { readTables } from './migrations.ts';
import { matchBrackets, isAt, type Token } from '../tokens.ts';
import { isTest, getRoom, type Finding, type Rule, type Source } from '../tree.ts';

const STORE = /^src\/features\/.+\/(?:store|[\w-]+-store)\.ts$/;
const WITH_SQL = [
  /^src\/adapters\/postgres\//,
  /^src\/core\/(?:list-page|write-rows)\.ts$/,
  /^src\/core\/filter\//,
  STORE,
];
const WRITERS = '#core/write-rows.ts';
const STATEMENT = new RegExp(
  `^(?:\\s|\\(|/\\*.*?\\*/|--.*?(?:\n|\\\\n))*(?:${[
    'select\\s',
    'insert into\\s',
    'update (?:only )?\\S+ (?:(?:as )?\\w+ )?set\\s',
    'merge into\\s',
    'values \\(',
    'delete from\\s',
    'with (?:recursive )?\\w+ ?(?:\\([^)]*\\) ?)?as\\s',
    'lock table\\s',
    'truncate\\s',
    '(?:create|alter|drop) (?:temporary |unique |or replace )?' +
      '(?:table|index|sequence|type|function|view|schema|database|role|extension|trigger)\\s',
  ].join('|')})`,
);

export const sqlRules: Rule = {
  names: ['sql-place', 'store-scope'],
  check: (tree) => {
    const owned = readTables(tree).filter(({ owner }) => owner === 'required');
    const names = new Set(owned.map(({ name }) => name));
    return tree.sources.flatMap((source) => [...findMisplaced(source), ...findMisscoped(source, names)]);
  },
};

function findMisplaced(source: Source): Finding[] {
  if (isTest(source.path) || getRoom(source.path) === 'bench') return [];
  if (WITH_SQL.some((pattern) => pattern.test(source.path))) return findHandedOn(source);
  const message = 'SQL belongs to the store of the noun whose tables it reads';
  const writers = source.imports
    .filter(({ specifier }) => specifier === WRITERS)
    .map(({ line }) => ({ rule: 'sql-place', file: source.path, line, message }));
  const texts = source.tokens.flatMap((token, at) => {
    const isText = (token.kind === 'string' || token.kind === 'template') && isStatement(token.text);
    if (!isText && !isQueryCall(source.tokens, at)) return [];
    return [{ rule: 'sql-place', file: source.path, line: token.line, message }];
  });
  return [...writers, ...texts];
}

/** In small or in capital letters; "Select a file" is a label. */
function isStatement(text: string): boolean {
  const word = /[a-z]+/i.exec(text)?.[0] ?? '';
  return STATEMENT.test(word === word.toUpperCase() ? text.toLowerCase() : text);
}

function isQueryCall(tokens: readonly Token[], at: number): boolean {
  if (!isAt(tokens, at, '.', 'query') && !isAt(tokens, at, '?.', 'query')) return false;
  return [['('], ['<'], ['?.', '('], ['.', 'bind'], ['.', 'call'], ['.', 'apply']].some((next) =>
    isAt(tokens, at + 2, ...next),
  );
}

/** What writes rows by name is imported where the rows belong; a store does not hand it on. */
function findHandedOn(source: Source): Finding[] {
  return source.imports
    .filter(({ specifier, how }) => specifier === WRITERS && how === 'again')
    .map(({ line }) => {
      const message = `a store exports its own statements: import ${WRITERS} where it is used`;
      return { rule: 'sql-place', file: source.path, line, message };
    });
}

/** A scope says by its type whose rows a function asks for, and is read where it says an organization. */
function findMisscoped(source: Source, owned: ReadonlySet<string>): Finding[] {
  if (!STORE.test(source.path)) return [];
  const pairs = matchBrackets(source.tokens);
  const definitions = findDefinitions(source.tokens, pairs);
  return source.tokens.flatMap((_, at) => {
    if (isUnreadExport(source.tokens, at)) {
      const message = 'no rule reads this export: write export function, or export const name = (…) =>';
      return [{ rule: 'store-scope', file: source.path, line: source.tokens[at]?.line ?? 0, message }];
    }
    const found = readExportedFunction(source.tokens, at);
    const close = found === undefined ? undefined : pairs.get(found.open);
    if (found === undefined || close === undefined) return [];
    const parameters = source.tokens.slice(found.open + 1, close);
    const body = source.tokens.slice(close, definitions.get(found.name)?.end);
    const isQuery =
      found.isAsync ||
      parameters.some(({ text }) => /^(?:Sql|Transaction|Database)$/.test(text)) ||
      body.some((_, index) => isQueryCall(body, index));
    const tables = isQuery
      ? findTables(source.tokens, body, definitions).filter((name) => owned.has(name))
      : [];
    const problem = findScopeProblem(readFirstParameter(parameters), body, tables);
    if (problem === undefined) return [];
    const message = `${found.name} ${problem}`;
    return [{ rule: 'store-scope', file: source.path, line: source.tokens[at]?.line ?? 0, message }];
  });
}

function findScopeProblem(
  first: readonly Token[],
  body: readonly Token[],
  tables: readonly string[],
): string | undefined {
  const types = first.filter(({ text }) => /^(?:Organization|Lab)?Scope$/.test(text)).map(({ text }) => text);
  if (types.length === 0) {
    const [table] = tables;
    return table === undefined
      ? undefined
      : `asks ${table}, whose rows have owners, and must take the scope first`;
  }
  if (types.every((type) => type === 'LabScope'))
    return tables.length === 0 ? 'takes a scope and asks nothing that has an owner' : undefined;
  const typeAt = first.findIndex(({ text }) => text === ':');
  const names = first.slice(0, typeAt).filter(({ kind }) => kind === 'word');
  const isRead = body.some(({ kind, text }) => kind === 'word' && names.some((name) => name.text === text));
  return isRead ? undefined : 'takes a scope that it does not read; of every organization is a LabScope';
}

interface Definition {
  readonly start: number;
  readonly end: number;
}

const TOP_LEVEL = new Set(['export', 'async', 'function', 'const', 'interface', 'type', 'class', 'import']);

/** Where each name of the top level is defined: from its word to the next definition. */
function findDefinitions(
  tokens: readonly Token[],
  pairs: ReadonlyMap<number, number>,
): ReadonlyMap<string, Definition> {
  const starts: number[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const begins = TOP_LEVEL.has(tokens[at]?.text ?? '') && !TOP_LEVEL.has(tokens[at - 1]?.text ?? '');
    if (begins && !isAt(tokens, at - 1, '=')) starts.push(at);
    at = pairs.get(at) ?? at;
  }
  return new Map(
    starts.map((start, index) => {
      const name = tokens.slice(start).find(({ text }) => !TOP_LEVEL.has(text) && text !== '*');
      return [name?.text ?? '', { start, end: starts[index + 1] ?? tokens.length }];
    }),
  );
}

/** The words of the SQL of a function, of the texts that it names and of the functions beside it that it calls. */
function findTables(
  tokens: readonly Token[],
  body: readonly Token[],
  definitions: ReadonlyMap<string, Definition>,
): string[] {
  const words = new Set<string>();
  const seen = new Set<string>();
  const waiting = [body];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    for (const { kind, text } of part) {
      if (kind === 'string' || kind.startsWith('template'))
        for (const word of text.match(/[a-z_]+/g) ?? []) words.add(word);
      const named = kind === 'word' && !seen.has(text) ? definitions.get(text) : undefined;
      if (named === undefined) continue;
      seen.add(text);
      waiting.push(tokens.slice(named.start, named.end));
    }
  }
  return [...words];
}

/** Functions that leave a store in a form whose parameters are not read here. */
function isUnreadExport(tokens: readonly Token[], at: number): boolean {
  if (!isAt(tokens, at, 'export') || isAt(tokens, at - 1, '.')) return false;
  if (['{', 'default', 'class', 'let', 'var'].includes(tokens[at + 1]?.text ?? '')) return true;
  const value = isAt(tokens, at + 1, 'const') && isAt(tokens, at + 3, '=') ? at + 4 : undefined;
  if (value === undefined) return false;
  const start = isAt(tokens, value, 'async') ? value + 1 : value;
  return ['function', '<', '{'].includes(tokens[start]?.text ?? '') && hasFunction(tokens, start);
}

/** Whether a statement has a body or an arrow before it ends. */
function hasFunction(tokens: readonly Token[], start: number): boolean {
  for (let at = start; at < tokens.length && !isAt(tokens, at, 'export'); at += 1)
    if (isAt(tokens, at, '=>') || isAt(tokens, at, 'async') || isAt(tokens, at, 'function')) return true;
  return false;
}

interface StoreFunction {
  readonly name: string;
  readonly isAsync: boolean;
  /** The index of the `(` of its parameters. */
  readonly open: number;
}

/** `export async function name(` and `export const name = async (`. */
function readExportedFunction(tokens: readonly Token[], at: number): StoreFunction | undefined {
  if (!isAt(tokens, at, 'export')) return undefined;
  const isAsync = isAt(tokens, at + 1, 'async');
  const next = at + (isAsync ? 2 : 1);
  const name = tokens[next + 1]?.text ?? '';
  if (isAt(tokens, next, 'function')) {
    let open = next + 2;
    while (open < tokens.length && !isAt(tokens, open, '(')) open += 1;
    return { name, isAsync, open };
  }
  if (!isAt(tokens, next, 'const') || !isAt(tokens, next + 2, '=')) return undefined;
  const arrowAsync = isAt(tokens, next + 3, 'async');
  const open = next + (arrowAsync ? 4 : 3);
  return isAt(tokens, open, '(') ? { name, isAsync: arrowAsync, open } : undefined;
}

function readFirstParameter(parameters: readonly Token[]): readonly Token[] {
  let depth = 0;
  for (const [index, { text }] of parameters.entries()) {
    if ('([{<'.includes(text)) depth += 1;
    if (')]}>'.includes(text)) depth -= 1;
    if (text === ',' && depth === 0) return parameters.slice(0, index);
  }
  return parameters;
}
