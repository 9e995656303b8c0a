/** Every folder of the sources says in its main file what lives there and what may not. */
import { posix } from 'node:path';
import { isTest, type Finding, type Rule, type Source, type Tree } from '../tree.ts';

const RULE = 'folder-header';
const HEADER =
  /^(?:\/\/ tidy-allow[^\n]*\n)*\/\*\*(?:(?!\*\/)[^])*?This folder: (?:(?!\*\/)[^])+?\bNot(?:\s+\*)?\s+here:\s(?:(?!\*\/)[^])+\*\//;
/** A folder of one file is told by that file. */
const FILES_MIN = 2;

export const headerRules: Rule = {
  names: [RULE],
  check: (tree) => [...groupByFolder(tree)].flatMap(([folder, sources]) => checkFolder(folder, sources)),
};

function groupByFolder(tree: Tree): Map<string, Source[]> {
  const own = tree.sources.filter(({ path }) => path.startsWith('src/') && !isTest(path));
  return Map.groupBy(own, ({ path }) => posix.dirname(path));
}

function checkFolder(folder: string, sources: readonly Source[]): Finding[] {
  const told = sources.filter(({ text }) => HEADER.test(text));
  const [first, second] = told;
  if (second !== undefined)
    return [
      { rule: RULE, file: second.path, line: 1, message: `${folder} is told by ${first?.path} already` },
    ];
  const [file] = sources;
  if (first !== undefined || file === undefined || sources.length < FILES_MIN) return [];
  const message = `no file of ${folder} begins with a comment "This folder: … Not here: …"`;
  return [{ rule: RULE, file: file.path, line: 1, message }];
}
