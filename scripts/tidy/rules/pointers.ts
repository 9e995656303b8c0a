/** A path that a document or a comment names leads somewhere in the repository. */
import { posix } from 'node:path';
import type { Finding, Rule, Tree } from '../tree.ts';

const READ = /\.(?:md|ts|mjs)$/;
/** Trees made wrong on purpose, and what was so at the time. */
const UNREAD = /^(?:scripts\/tidy\/fixtures\/|CHANGELOG\.md$)/;
const IN_BACKQUOTES = /`((?:[\w.-]+\/)+[\w.-]*)`/g;
const WITH_ENDING = /(?<![\w./@-])((?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs|md|sql|json))\b/g;
const COMMENT = /^\s*(?:\/?\*+|\/\/)\s?(.*)$|\s\/\/\s(.*)$/;

export const pointerRules: Rule = {
  names: ['stale-path'],
  check: (tree) => {
    const folders = listFolders(tree);
    const roots = new Set([...folders].map((folder) => folder.replace(/^src\//, '')).filter(isTop));
    return [...tree.files].flatMap(([file, text]) =>
      READ.test(file) && !UNREAD.test(file)
        ? text.split('\n').flatMap((line, index) =>
            findPaths(file, line)
              .filter(
                (path) => roots.has(path.split('/')[0] ?? '') && !isKnownPath(tree, folders, file, path),
              )
              .map((path): Finding => {
                return { rule: 'stale-path', file, line: index + 1, message: `${path} does not exist` };
              }),
          )
        : [],
    );
  },
};

function isTop(folder: string): boolean {
  return !folder.includes('/');
}

function listFolders({ files }: Tree): Set<string> {
  const folders = new Set<string>();
  for (const file of files.keys())
    for (let at = posix.dirname(file); at !== '.'; at = posix.dirname(at)) folders.add(at);
  return folders;
}

/** Of a document what stands in backquotes, of code what a comment says. */
function findPaths(file: string, line: string): string[] {
  const match = file.endsWith('.md') ? undefined : COMMENT.exec(line);
  if (match === null) return [];
  const text = match === undefined ? line : (match[1] ?? match[2] ?? '');
  const patterns = match === undefined ? [IN_BACKQUOTES] : [IN_BACKQUOTES, WITH_ENDING];
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, path = '']) => path));
}

/** From the root, from `src/`, from the room of the file, or from beside it. */
function isKnownPath({ files }: Tree, folders: ReadonlySet<string>, file: string, path: string): boolean {
  const room = file.split('/').slice(0, 2).join('/');
  const places = ['', 'src', room, posix.dirname(file)].map((base) =>
    posix.join(base, path).replace(/\/$/, ''),
  );
  return places.some((place) => files.has(place) || folders.has(place));
}
