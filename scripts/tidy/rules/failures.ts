/** Every code of the catalog of failures is raised somewhere; one that is not is a promise nobody keeps. */
import { isAt, matchBrackets, type Token } from '../tokens.ts';
import { isTest, type Finding, type Rule, type Source, type Tree } from '../tree.ts';

const CATALOG = 'src/core/failure-catalog.ts';

export const failureRules: Rule = {
  names: ['failure-unused'],
  check: (tree) => {
    const raised = new Set(
      tree.sources
        .filter((source) => source.path.startsWith('src/') && source.path !== CATALOG && !isTest(source.path))
        .flatMap(findRaised),
    );
    return readCodes(tree).flatMap(({ code, line }): Finding[] =>
      raised.has(code)
        ? []
        : [{ rule: 'failure-unused', file: CATALOG, line, message: `${code} is never raised` }],
    );
  },
};

/** The keys of `const catalog = { … }`. */
export function readCodes(tree: Tree): { code: string; line: number }[] {
  const tokens = tree.sources.find((source) => source.path === CATALOG)?.tokens ?? [];
  const pairs = matchBrackets(tokens);
  const start = tokens.findIndex((_, at) => isAt(tokens, at, 'const', 'catalog', '=', '{')) + 3;
  const end = start < 3 ? undefined : pairs.get(start);
  if (end === undefined) return [];
  const codes: { code: string; line: number }[] = [];
  for (let at = start + 1; at < end; at += 1) {
    const token = tokens[at];
    if (token?.kind === 'word' && isAt(tokens, at + 1, ':'))
      codes.push({ code: token.text, line: token.line });
    at = pairs.get(at) ?? at;
  }
  return codes;
}

/** Codes given to `fail`; a file that passes one on in a variable may mean any code it spells out. */
function findRaised(source: Source): string[] {
  const { tokens } = source;
  return tokens.flatMap((_, at) => {
    const isCall = isAt(tokens, at, 'fail', '(') && !isAt(tokens, at - 1, '.');
    if (!isCall || isAt(tokens, at - 1, 'function')) return [];
    const argument = readFirstArgument(tokens, at + 2);
    const literals = listTexts(argument);
    const isPassedOn = literals.length === 0 && argument.length === 1;
    return isPassedOn ? listTexts(tokens) : literals;
  });
}

function readFirstArgument(tokens: readonly Token[], start: number): readonly Token[] {
  let depth = 0;
  for (let at = start; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind !== 'mark') continue;
    if (depth === 0 && (token.text === ',' || token.text === ')')) return tokens.slice(start, at);
    if ('([{'.includes(token.text)) depth += 1;
    if (')]}'.includes(token.text)) depth -= 1;
  }
  return [];
}

function listTexts(tokens: readonly Token[]): string[] {
  return tokens.filter((token) => token.kind === 'string').map((token) => token.text);
}
