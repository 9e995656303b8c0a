/** The wire contract, rule by rule, with the test that holds each: none of them may get lost. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findTitles } from '../../scripts/tidy/rules/titles.ts';
import { tokenize } from '../../scripts/tidy/tokens.ts';
import type { WireRule } from './wire/rules.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FOLDER = join(import.meta.dirname, 'wire');
const SECTION = /^section-([1-8])(?:-[a-z0-9-]+)?\.ts$/;
const HOLE = /\$\{[^}]*\}/g;
/** A title of fewer letters outside its holes fits too many rows. */
const LITERAL_MIN = 12;

const files = globSync('section-*.ts', { cwd: FOLDER }).sort();
const sections = await Promise.all(files.map(async (name) => ({ name, rules: await readRules(name) })));
const rows = sections.flatMap(({ name, rules }) => rules.map((each) => ({ name, ...each })));

async function readRules(name: string): Promise<readonly WireRule[]> {
  const module: Readonly<Record<string, unknown>> = await import(join(FOLDER, name));
  return Object.values(module)
    .filter((value) => Array.isArray(value))
    .flat()
    .filter(isWireRule);
}

function isWireRule(value: unknown): value is WireRule {
  assert.ok(typeof value === 'object' && value !== null && 'rule' in value && 'test' in value);
  return true;
}

const titlesByFile = new Map<string, readonly string[]>();

/** The titles as the compiler's scanner sees them: a comment or a skipped test is none. */
function listTitles(file: string): readonly string[] {
  const known = titlesByFile.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(ROOT, file), 'utf8');
  const titles = findTitles(tokenize(text)).map((title) => toText(title.text).replaceAll(HOLE, '${}'));
  titlesByFile.set(file, titles);
  return titles;
}

/** The source writes a quotation mark in a string with a backslash before it. */
function toText(source: string): string {
  return source.replaceAll(/\\(['"`\\])/g, '$1');
}

/** Whether the source's title is the row's, hole for hole or with something in each hole. */
function isTitle(written: string, title: string): boolean {
  if (written === title.replaceAll(HOLE, '${}')) return true;
  const [first = '', ...others] = written.split('${}');
  const last = others.pop();
  if (last === undefined || written.replaceAll('${}', '').length < LITERAL_MIN) return false;
  if (!title.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = title.indexOf(part, at + 1);
    if (found === -1) return false;
    at = found + part.length;
  }
  return title.endsWith(last) && title.length - last.length > at;
}

for (const { name, rule, test: held } of rows) {
  test(`wire: ${name}, ${rule} → the test it names exists`, () => {
    assert.ok(held.file.endsWith('.test.ts'), `${held.file} is no file of tests`);
    assert.ok(existsSync(join(ROOT, held.file)), `${held.file} does not exist`);
    const isThere = listTitles(held.file).some((written) => isTitle(written, held.title));
    assert.ok(isThere, `${held.file} has no test "${held.title}"`);
  });
}

test('wire: sections 1 to 8 → each has a file', () => {
  const numbers = new Set(files.map((name) => SECTION.exec(name)?.[1]));
  assert.deepEqual(numbers, new Set(['1', '2', '3', '4', '5', '6', '7', '8']));
});

test('wire: the files of its sections → named by the section, none empty, and no rule twice', () => {
  assert.deepEqual(
    files.filter((name) => !SECTION.test(name)),
    [],
  );
  assert.deepEqual(
    sections.filter(({ rules }) => rules.length === 0).map(({ name }) => name),
    [],
  );
  const seen = new Set<string>();
  const twice = rows
    .map(({ rule }) => rule.trim().toLowerCase())
    .filter((rule) => seen.size === seen.add(rule).size);
  assert.deepEqual(twice, []);
});

test('wire: titles in a comment, in a string or of a skipped test → are not taken for tests', () => {
  const hostile = [
    "// test('rule: in a comment → none', run);",
    'const text = "test(\'rule: in a string → none\', run);";',
    "test.skip('rule: skipped → none', run);",
    "test('rule: it\\'s there → found', run);",
    'test(`rule: ${name} and ${other} → found`, run);',
  ].join('\n');
  const titles = findTitles(tokenize(hostile)).map((title) => toText(title.text));
  assert.deepEqual(titles, ["rule: it's there → found", 'rule: ${} and ${} → found']);
  assert.ok(isTitle('rule: ${} and ${} → found', 'rule: ${a} and ${b} → found'));
  assert.ok(isTitle('rule: ${} and ${} → found', 'rule: bread and butter → found'));
  assert.ok(!isTitle('rule: ${} and ${} → found', 'rule: bread → found'));
  assert.ok(!isTitle('${}: ${}', 'rule: bread → found'));
});
