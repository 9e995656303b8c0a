/** One name for what an operation is, what carries it out and where that stands; its id stands in its definition alone. */
import { isAt, type Token } from '../tokens.ts';
import type { Finding, Rule, Source, Tree } from '../tree.ts';

const DEFINITIONS = /^src\/features\/.+\.ts$/;
const HANDLER = /^src\/(?:features|workflows)\/.+\/([^/]+)\.ts$/;
/** Binds the operations of a noun or a step, and holds the short handlers of them. */
const BINDINGS = /^src\/(?:features|workflows)\/.+\/operations\.ts$/;
const TRANSPORTS = /^src\/transports\//;
const FILE = 'scripts/tidy/rules/operations.ts';
/** The verbs with which the name of an operation may begin. */
const VERBS = new Set(
  (
    'add allow amend appoint approve attenuate cancel change check clone compare complete confirm create decide decline delete diff discard dismiss edit estimate get identify ' +
    'import invite list map mint modify open pay plan preview publish put reanalyze receive record refund reissue reject release remove renew resend retry ' +
    'revoke roll send set start stream submit test trigger update validate void withdraw write'
  ).split(' '),
);

export interface Definition {
  readonly name: string;
  readonly id: string;
  readonly file: string;
  readonly line: number;
}

export const operationRules: Rule = {
  names: ['operation-name', 'operation-id'],
  check: (tree) => {
    const contracts = tree.sources.filter(({ path }) => DEFINITIONS.test(path));
    const definitions = findDefinitions(tree);
    return [
      ...contracts.flatMap(findNameless),
      ...definitions.flatMap((definition) => checkName(tree, definition)),
      ...checkBindings(tree, definitions),
      ...findRepeatedIds(tree, definitions),
    ];
  },
};

export function findDefinitions(tree: Tree): Definition[] {
  return tree.sources.filter(({ path }) => DEFINITIONS.test(path)).flatMap(readDefinitions);
}

/** Every `export const name = defineOperation({ id: 'id', …`. */
function readDefinitions({ path, tokens }: Source): Definition[] {
  return tokens.flatMap((token, at) => {
    if (!isAt(tokens, at, 'export', 'const')) return [];
    const name = tokens[at + 2]?.text ?? '';
    if (!isAt(tokens, at + 3, '=', 'defineOperation', '(', '{', 'id', ':')) return [];
    return [{ name, id: tokens[at + 9]?.text ?? '', file: path, line: token.line }];
  });
}

/** What is defined in another form would escape every check. */
function findNameless({ path, tokens }: Source): Finding[] {
  return tokens.flatMap((token, at) => {
    const isRenamed = isAt(tokens, at, 'defineOperation', 'as');
    if (!isAt(tokens, at, 'defineOperation', '(') && !isRenamed) return [];
    const isNamed =
      !isRenamed && isAt(tokens, at - 4, 'export', 'const') && isAt(tokens, at + 2, '{', 'id', ':');
    if (isNamed) return [];
    const message =
      "write `export const verbNoun = defineOperation({ id: '…',` so that the names can be compared";
    return [{ rule: 'operation-name', file: path, line: token.line, message }];
  });
}

function checkName(tree: Tree, { name, file, line }: Definition): Finding[] {
  const found: string[] = [];
  const words = toKebabCase(name);
  if (!VERBS.has(words.split('-')[0] ?? ''))
    found.push(`${name} does not begin with a known verb: choose one of ${FILE} or add it there`);
  const places = findHandlers(tree, name);
  const [place] = places;
  if (place === undefined)
    found.push(
      `${name} has no handler: it stands in src/features/<noun>/operations.ts or ${words}.ts beside it, or in a folder of src/workflows`,
    );
  else if (!BINDINGS.test(place.path) && !place.exports.some((entry) => entry.name === name && !entry.isType))
    found.push(`${place.path} does not export ${name}, the handler of this operation`);
  if (places.length > 1)
    found.push(`${name} has ${places.length} handlers: ${places.map(({ path }) => path).join(', ')}`);
  return found.map((message) => ({ rule: 'operation-name', file, line, message }));
}

/** Finds the files that are named like the handler of an operation, and those that hold it beside its binding. */
export function findHandlers(tree: Tree, name: string): Source[] {
  const words = toKebabCase(name);
  return tree.sources.filter(
    ({ path, tokens }) =>
      HANDLER.exec(path)?.[1] === words ||
      (BINDINGS.test(path) &&
        tokens.some((_, at) => isAt(tokens, at, 'function', name, '(') || isBoundAsList(tokens, at, name))),
  );
}

/** `bindList(contract.name, …)`: the handler is the rows of the list. */
function isBoundAsList(tokens: readonly Token[], at: number, name: string): boolean {
  return /^bind(?:Lab)?List$/.test(tokens[at]?.text ?? '') && isAt(tokens, at + 3, '.', name, ',');
}

/** Where operations are bound, `contract.name` stands beside the handler of the same name. */
function checkBindings(tree: Tree, definitions: readonly Definition[]): Finding[] {
  const names = new Set(definitions.map(({ name }) => name));
  return tree.sources
    .filter(({ path }) => BINDINGS.test(path))
    .flatMap(({ path, tokens }) =>
      tokens.flatMap((token, at) => {
        const isBound =
          /^bind[A-Z]/.test(tokens[at - 4]?.text ?? '') &&
          isAt(tokens, at - 1, '.') &&
          !isBoundAsList(tokens, at - 4, token.text);
        if (!names.has(token.text) || !isBound || !isAt(tokens, at + 1, ',')) return [];
        const handler = tokens[at + 2]?.text ?? '';
        if (handler === token.text) return [];
        const message = `${token.text} is carried out by ${handler}: give both one name`;
        return [{ rule: 'operation-name', file: path, line: token.line, message }];
      }),
    );
}

function findRepeatedIds(tree: Tree, definitions: readonly Definition[]): Finding[] {
  const ids = new Set(definitions.map(({ id }) => id));
  return tree.sources
    .filter(({ path }) => TRANSPORTS.test(path))
    .flatMap(({ path, tokens }) =>
      tokens.flatMap((token, at) => {
        if (!ids.has(token.text) || !isIdHere(tokens, at)) return [];
        const message = `${token.text} is an operation: what it is stands in its definition alone`;
        return [{ rule: 'operation-id', file: path, line: token.line, message }];
      }),
    );
}

/** A text, or the key of a table; other words may be called like an operation. */
function isIdHere(tokens: readonly Token[], at: number): boolean {
  return tokens[at]?.kind === 'string' || (tokens[at]?.kind === 'word' && isAt(tokens, at + 1, ':'));
}

function toKebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
