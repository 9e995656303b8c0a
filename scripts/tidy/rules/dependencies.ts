/** No dependency without a line saying why it is here; exact versions; a lock file that works from any registry. */
import { SECTIONS } from '../manifest.ts';
import type { Finding, Rule, Tree } from '../tree.ts';

const REASONS = 'docs/decisions/dependencies.md';
/** A version, or a folder of this repository. */
const EXACT = /^(?:(?:npm:[\w@/.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?|file:(?:src|scripts)\/[\w/-]+)$/;

export const dependencyRules: Rule = {
  names: ['dependency-reason', 'dependency-version', 'lock-host'],
  check: (tree) => [...findUndeclared(tree), ...findForgotten(tree), ...findHosts(tree)],
};

function listEntries(tree: Tree): { name: string; version: string; line: number }[] {
  const lines = (tree.files.get('package.json') ?? '').split('\n');
  return SECTIONS.flatMap((section) =>
    Object.entries(tree.manifest[section]).map(([name, version]) => ({
      name,
      version,
      line: lines.findIndex((line) => line.includes(`"${name}":`)) + 1,
    })),
  );
}

/** The packages that the table of reasons names in its first column. */
function listReasons(tree: Tree): { name: string; line: number; isFull: boolean }[] {
  return (tree.files.get(REASONS) ?? '').split('\n').flatMap((text, index) => {
    const [, first = '', ...cells] = text.split('|').map((cell) => cell.trim());
    const isFull = cells.slice(0, -1).every((cell) => cell !== '');
    return [...first.matchAll(/`([^`]+)`/g)].map((match) => ({
      name: match[1] ?? '',
      line: index + 1,
      isFull,
    }));
  });
}

function findUndeclared(tree: Tree): Finding[] {
  const explained = new Set(listReasons(tree).map(({ name }) => name));
  return listEntries(tree).flatMap(({ name, version, line }) => {
    const at = { file: 'package.json', line };
    const findings: Finding[] = [];
    if (!explained.has(name)) {
      findings.push({ rule: 'dependency-reason', ...at, message: `${name} has no line in ${REASONS}` });
    }
    if (!EXACT.test(version)) {
      findings.push({ rule: 'dependency-version', ...at, message: `${name} is not exact: ${version}` });
    }
    return findings;
  });
}

function findForgotten(tree: Tree): Finding[] {
  const known = new Set(listEntries(tree).map(({ name }) => name));
  return listReasons(tree).flatMap(({ name, line, isFull }) => {
    if (known.has(name) && isFull) return [];
    const message = known.has(name)
      ? `the line of ${name} has an empty cell`
      : `${name} is not in package.json`;
    return [{ rule: 'dependency-reason', file: REASONS, line, message }];
  });
}

function findHosts(tree: Tree): Finding[] {
  const file = 'package-lock.json';
  return (tree.files.get(file) ?? '')
    .split('\n')
    .flatMap((line, index) =>
      /"resolved":\s*"[a-z+]*:\/\//.test(line)
        ? [{ rule: 'lock-host', file, line: index + 1, message: 'the lock file names a host' }]
        : [],
    );
}
