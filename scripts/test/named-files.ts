/** Finds the test files that the words of a command name: files, folders and patterns. */
import { globSync, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';

const TESTS = '**/*.test.ts';
const DEFAULT_GLOBS = ['src', 'tests', 'scripts'].map((folder) => `${folder}/${TESTS}`);
const NIGHTLY = 'tests/nightly';

export interface NamedFiles {
  /** From the root of the repository. */
  readonly files: readonly string[];
  /** What is wrong with a name, as a sentence. */
  readonly problems: readonly string[];
}

/** Without names every test file; those of the night only at night, or where they are named. */
export function findNamedFiles(root: string, names: readonly string[], isNightly: boolean): NamedFiles {
  const list = (globs: readonly string[], isNightNamed: boolean): string[] =>
    globSync(globs, { cwd: root, exclude: ['**/node_modules/**'] })
      .map((file) => relative(root, resolve(root, file)).replaceAll(sep, '/'))
      .filter((file) => isNightly || isNightNamed || !file.startsWith(`${NIGHTLY}/`));
  if (names.length === 0) return { files: list(DEFAULT_GLOBS, false), problems: [] };
  const found = names.map((name) => {
    const path = relative(root, resolve(root, name)).replaceAll(sep, '/');
    const kind = statSync(resolve(root, name), { throwIfNoEntry: false });
    if (kind?.isDirectory() === true) {
      const files = list([path === '' ? TESTS : `${path}/${TESTS}`], `${path}/`.startsWith(`${NIGHTLY}/`));
      return { files, problem: `The folder ${name} holds no test file; test files end with .test.ts.` };
    }
    if (kind !== undefined) {
      const files = name.endsWith('.test.ts') ? [path] : [];
      return { files, problem: `${name} is no test file; test files end with .test.ts.` };
    }
    const problem = `There is no file or folder ${name}, and no test file matches it as a pattern; give a path from ${root}.`;
    return { files: list([name], true).filter((file) => file.endsWith('.test.ts')), problem };
  });
  return {
    files: [...new Set(found.flatMap(({ files }) => files))],
    problems: found.flatMap(({ files, problem }) => (files.length === 0 ? [problem] : [])),
  };
}
