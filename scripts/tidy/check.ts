/** Runs every rule over a tree and takes out what a file openly asks to be excused from. */
import { bannedRules } from './rules/banned.ts';
import { checkDefinitions, definitionRules } from './rules/definitions.ts';
import { dependencyRules } from './rules/dependencies.ts';
import { failureRules, readCodes } from './rules/failures.ts';
import { headerRules } from './rules/headers.ts';
import { importRules } from './rules/imports.ts';
import { migrationRules, readTables } from './rules/migrations.ts';
import { nameRules } from './rules/names.ts';
import { operationRules } from './rules/operations.ts';
import { placeRules } from './rules/places.ts';
import { pointerRules } from './rules/pointers.ts';
import { sizeRules } from './rules/sizes.ts';
import { spellingRules } from './rules/spelling.ts';
import { sqlRules } from './rules/sql.ts';
import { textRules } from './rules/text.ts';
import { titleRules } from './rules/titles.ts';
import type { Finding, Rule, Tree } from './tree.ts';

const RULES: readonly Rule[] = [
  importRules,
  placeRules,
  operationRules,
  sizeRules,
  bannedRules,
  sqlRules,
  migrationRules,
  failureRules,
  textRules,
  dependencyRules,
  pointerRules,
  nameRules,
  spellingRules,
  headerRules,
  titleRules,
];
export const ruleNames: readonly string[] = [...RULES.flatMap((rule) => rule.names), ...definitionRules];

export interface Report {
  readonly findings: readonly Finding[];
  /** How much was looked at, by what it is called in the closing line. */
  readonly seen: Readonly<Record<string, number>>;
}

export async function check(tree: Tree): Promise<Report> {
  const definitions = await checkDefinitions(tree);
  const found = [...RULES.flatMap((rule) => rule.check(tree)), ...definitions.findings];
  const seen = {
    files: tree.files.size,
    sources: tree.sources.length,
    imports: tree.sources.reduce((sum, source) => sum + tree.listEdges(source).length, 0),
    tables: readTables(tree).length,
    'failure codes': readCodes(tree).length,
    operations: definitions.operations,
  };
  const findings = [...excuseFindings(tree, removeDuplicates(found)), ...findBlind(seen)];
  return { findings: findings.sort(compareFindings), seen };
}

/** One finding for each line and rule, though a line may break a rule twice. */
function removeDuplicates(found: readonly Finding[]): Finding[] {
  const getKey = ({ rule, file, line, message }: Finding) => [rule, file, line, message].join('\n');
  return [...new Map(found.map((finding) => [getKey(finding), finding])).values()];
}

/** A check that saw nothing has proved nothing. */
function findBlind(seen: Readonly<Record<string, number>>): Finding[] {
  return Object.entries(seen)
    .filter(([, count]) => count === 0)
    .map(([what]) => ({ rule: 'saw-nothing', file: '.', line: 1, message: `saw no ${what}` }));
}

function compareFindings(one: Finding, other: Finding): number {
  return one.file.localeCompare(other.file) || one.line - other.line || one.rule.localeCompare(other.rule);
}

interface Excuse {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly reason: string;
}

const EXCUSE = /^(?:\/\/|--|#|<!--) tidy-allow ([\w-]+)(?::\s*(\S.*?))?(?:\s*-->)?$/;

/** The `tidy-allow` lines with which a file begins. */
function findExcuses(tree: Tree): Excuse[] {
  return [...tree.files].flatMap(([file, text]) => {
    const excuses: Excuse[] = [];
    for (const [index, line] of text.slice(0, 2_000).split('\n').entries()) {
      const match = EXCUSE.exec(line);
      if (match === null) break;
      excuses.push({ file, line: index + 1, rule: match[1] ?? '', reason: match[2] ?? '' });
    }
    return excuses;
  });
}

/** An excuse needs a known rule, a reason, and something to excuse; otherwise it is a finding itself. */
function excuseFindings(tree: Tree, found: readonly Finding[]): Finding[] {
  const excuses = findExcuses(tree);
  const covers = (entry: Excuse, finding: Finding): boolean =>
    entry.file === finding.file && entry.rule === finding.rule;
  const wrong = excuses.flatMap((entry) => {
    const message = findExcuseProblem(
      entry,
      found.some((finding) => covers(entry, finding)),
    );
    return message === undefined ? [] : [{ rule: 'tidy-allow', file: entry.file, line: entry.line, message }];
  });
  return [...found.filter((finding) => !excuses.some((entry) => covers(entry, finding))), ...wrong];
}

function findExcuseProblem(entry: Excuse, isUsed: boolean): string | undefined {
  if (!ruleNames.includes(entry.rule)) return `there is no rule ${entry.rule}`;
  if (entry.reason === '') return `the exception to ${entry.rule} gives no reason`;
  return isUsed ? undefined : `the exception to ${entry.rule} excuses nothing; remove it`;
}
