/** A file stays within 600 lines, a function within 70. */
import { findFunctions } from '../functions.ts';
import { splitLines, type Finding, type Rule, type Tree } from '../tree.ts';

const FILE_LINES_MAX = 600;
const FUNCTION_LINES_MAX = 70;
const MEASURED = /^(?:src|tests|scripts|bench|web|bin)\/.*\.(?:ts|tsx|mjs|js|css|html)$/;

export const sizeRules: Rule = {
  names: ['file-length', 'function-length'],
  check: (tree) => [...findLongFiles(tree), ...findLongFunctions(tree)],
};

function findLongFiles(tree: Tree): Finding[] {
  return [...tree.files].flatMap(([file, text]) => {
    const length = MEASURED.test(file) ? splitLines(text).length : 0;
    if (length <= FILE_LINES_MAX) return [];
    const message = `${length} lines; a file has at most ${FILE_LINES_MAX}`;
    return [{ rule: 'file-length', file, line: 1, message }];
  });
}

function findLongFunctions(tree: Tree): Finding[] {
  return tree.sources.flatMap((source) =>
    findFunctions(source.tokens).flatMap(({ name, startLine, endLine }) => {
      const length = endLine - startLine + 1;
      if (length <= FUNCTION_LINES_MAX) return [];
      const message = `${name} has ${length} lines; a function has at most ${FUNCTION_LINES_MAX}`;
      return [{ rule: 'function-length', file: source.path, line: startLine, message }];
    }),
  );
}
