/** A test says its rule, its condition and its result. */
import { isAt, type Token } from '../tokens.ts';
import { isTest, type Finding, type Rule, type Source } from '../tree.ts';

const RULE = 'test-title';
const TITLE = /^[^:]+: .+ → .+/s;
const HOLE = /\$\{\}/g;

export const titleRules: Rule = {
  names: [RULE],
  check: (tree) => tree.sources.filter(({ path }) => isTest(path)).flatMap(checkTitles),
};

function checkTitles({ path, tokens }: Source): Finding[] {
  return findTitles(tokens).flatMap((title): Finding[] => {
    if (title.text.replaceAll(HOLE, '').trim() === '' || TITLE.test(title.text)) return [];
    const message = `"${title.text}" is not "<rule>: <condition> → <result>"`;
    return [{ rule: RULE, file: path, line: title.line, message }];
  });
}

/** The titles of all tests that run, those in variables left out; the text is as the source writes it. */
export function findTitles(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token, at): Token[] => {
    const isCall =
      (token.text === 'test' || token.text === 'it') && token.kind === 'word' && isAt(tokens, at + 1, '(');
    const title = tokens[at + 2];
    if (!isCall || isAt(tokens, at - 1, '.') || isAt(tokens, at - 1, 'function') || title === undefined)
      return [];
    return title.kind === 'string' || title.kind === 'template' ? [title] : [];
  });
}
