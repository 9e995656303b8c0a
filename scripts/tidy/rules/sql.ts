/** SQL stands in stores and nowhere else, and every store function says first whose rows it may touch. */
import { matchBrackets, isAt, type Token } from '../tokens.ts';
import { isTest, roomOf, type Finding, type Rule, type Source } from '../tree.ts';

const STORE = /^src\/domain\/[^/]+\/(?:store|[\w-]+-store)\.ts$/;
const WITH_SQL = [
  /^src\/adapters\/postgres\//,
  /^src\/core\/(?:list-page|write-rows)\.ts$/,
  /^src\/core\/filter\//,
  STORE,
];
const STATEMENT = new RegExp(
  `^\\s*(?:${[
    'select\\s',
    'insert into\\s',
    'update \\S+ set\\s',
    'delete from\\s',
    'with (?:recursive )?\\S+ as\\s',
    'lock table\\s',
    'truncate\\s',
    '(?:create|alter|drop) (?:temporary |unique |or replace )?' +
      '(?:table|index|sequence|type|function|view|schema|database|role|extension|trigger)\\s',
  ].join('|')})`,
);

export const sqlRules: Rule = {
  names: ['sql-place', 'store-scope'],
  check: (tree) => tree.sources.flatMap((source) => [...misplaced(source), ...unscoped(source)]),
};

function misplaced(source: Source): Finding[] {
  const isFree = isTest(source.path) || roomOf(source.path) === 'bench';
  if (isFree || WITH_SQL.some((pattern) => pattern.test(source.path))) return [];
  const message = 'SQL belongs to the store of the noun whose tables it reads';
  const writers = source.imports
    .filter(({ specifier }) => specifier === '#core/write-rows.ts')
    .map(({ line }) => ({ rule: 'sql-place', file: source.path, line, message }));
  const texts = source.tokens.flatMap((token, at) => {
    const isText = (token.kind === 'string' || token.kind === 'template') && STATEMENT.test(token.text);
    const isCall =
      isAt(source.tokens, at, '.', 'query') &&
      (isAt(source.tokens, at + 2, '(') || isAt(source.tokens, at + 2, '<'));
    if (!isText && !isCall) return [];
    return [{ rule: 'sql-place', file: source.path, line: token.line, message }];
  });
  return [...writers, ...texts];
}

function unscoped(source: Source): Finding[] {
  if (!STORE.test(source.path)) return [];
  const pairs = matchBrackets(source.tokens);
  return source.tokens.flatMap((_, at) => {
    const found = exportedFunction(source.tokens, at);
    const close = found === undefined ? undefined : pairs.get(found.open);
    if (found === undefined || close === undefined) return [];
    const parameters = source.tokens.slice(found.open + 1, close);
    const isQuery =
      found.isAsync || parameters.some(({ text }) => /^(?:Sql|Transaction|Database)$/.test(text));
    if (!isQuery || startsWithScope(parameters)) return [];
    const message = `${found.name} must take the scope first`;
    return [{ rule: 'store-scope', file: source.path, line: source.tokens[at]?.line ?? 0, message }];
  });
}

interface StoreFunction {
  readonly name: string;
  readonly isAsync: boolean;
  /** The index of the `(` of its parameters. */
  readonly open: number;
}

/** `export async function name(` and `export const name = async (`. */
function exportedFunction(tokens: readonly Token[], at: number): StoreFunction | undefined {
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

function startsWithScope(parameters: readonly Token[]): boolean {
  let depth = 0;
  for (const { text } of parameters) {
    if ('([{<'.includes(text)) depth += 1;
    if (')]}>'.includes(text)) depth -= 1;
    if (text === ',' && depth === 0) return false;
    if (text.endsWith('Scope')) return true;
  }
  return false;
}
