/** Every folder of the sources says in its main file what lives there and what may not. */
import { posix } from 'node:path';
import { isTest, type Finding, type Rule, type Source, type Tree } from '../tree.ts';

const RULE = 'folder-header';
const HEADER =
  /^(?:\/\/ tidy-allow[^\n]*\n)*\/\*\*(?:(?!\*\/)[^])*?This folder: (?:(?!\*\/)[^])+?\bNot(?:\s+\*)?\s+here:\s(?:(?!\*\/)[^])+\*\//;
/** The name of a single file says what its folder holds. */
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
  const withHeader = sources.filter(({ text }) => HEADER.test(text));
  const [first, second] = withHeader;
  if (second !== undefined)
    return [
      {
        rule: RULE,
        file: second.path,
        line: 1,
        message: `${first?.path} has the header of ${folder} already: remove one`,
      },
    ];
  const [file] = sources;
  // What the screens of a feature are about stands in the header of the feature.
  if (posix.basename(folder) === 'pages') return [];
  if (first !== undefined || file === undefined || sources.length < FILES_MIN) return [];
  const message = `no file of ${folder} begins with a comment "This folder: … Not here: …"`;
  return [{ rule: RULE, file: file.path, line: 1, message }];
}
