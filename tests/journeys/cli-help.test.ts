/** The help of the command line. It needs no service. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT_MEANINGS } from '#cli/command-error.ts';
import { LAB_NOUNS, listCommands, NOUNS } from '#cli/commands.ts';
import { groupVerbs } from '#cli/nouns.ts';
import { operationsByWords } from '#cli/siblings.ts';
import { parseListQuery } from '#core/filter/index.ts';
import { replaceCommandList } from '../../scripts/command-list.ts';
import { ROOT, runAssayer } from './cli-process.ts';

test('assayer --help: no command → every command and noun on a screen of 24 rows, one of them the next prompt, and 80 columns', async () => {
  const { code, out } = await runAssayer(['--help']);
  assert.equal(code, 0);
  const rows = out.trimEnd().split('\n');
  assert.ok(rows.length <= 23, out);
  assert.deepEqual(
    rows.filter((row) => row.length > 80),
    [],
  );
  const nouns = [...groupVerbs().keys()];
  assert.deepEqual([...NOUNS, ...LAB_NOUNS.map((noun) => `lab ${noun}`)].sort(), nouns.sort());
  // Scripts of shells call the one that prints words.
  const commands = listCommands().filter(({ name }) => name !== 'completion words');
  for (const name of [...NOUNS, ...LAB_NOUNS, ...commands.map((command) => command.name)])
    assert.match(out, new RegExp(`\\s${name}\\s`));
});

test('assayer help commands: no service → every command with its sentence, every noun with its verbs', async () => {
  const { code, out } = await runAssayer(['help', 'commands'], { columns: 80 });
  assert.equal(code, 0);
  for (const { name } of listCommands()) assert.match(out, new RegExp(`^ {2}${name} +[a-z]`, 'm'));
  for (const [noun, verbs] of groupVerbs())
    assert.match(out, new RegExp(`^ {2}${noun} +${verbs.join('\\s+')}$`, 'm'));
  assert.equal((await runAssayer(['help', 'nothing'])).code, 2);
});

test('assayer help filter: its examples → filters that their lists take', async () => {
  const { code, out } = await runAssayer(['help', 'filter'], { columns: 120 });
  assert.equal(code, 0);
  const examples = [...out.matchAll(/^ {2}assayer (\w+ list) --filter '(.+?)'/gm)];
  assert.equal(examples.length, 3);
  for (const [, words = '', filter = ''] of examples) {
    const list = operationsByWords.get(words)?.list;
    assert.ok(list !== undefined, words);
    const query = parseListQuery(list, { filter });
    assert.notEqual(query.filter, null);
  }
});

test('assayer lab --help: on a terminal → every noun in the order of the alphabet with its verbs', async () => {
  const { code, out } = await runAssayer(['lab', '--help'], { columns: 200 });
  assert.equal(code, 0);
  const names = [...out.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name = '']) => name);
  assert.deepEqual(names, [...LAB_NOUNS, 'preview', 'example-files'].toSorted());
});

test('assayer results, audit --help: commands that are nouns, too → their verbs', async () => {
  for (const noun of ['results', 'audit']) {
    const { out } = await runAssayer([noun, '--help']);
    for (const verb of groupVerbs().get(noun) ?? []) assert.match(out, new RegExp(`\\b${verb}\\b`), verb);
  }
});

test('guide: its nouns and verbs → those of the operations of today', () => {
  const guide = readFileSync(join(ROOT, 'docs/guide/command-line.md'), 'utf8');
  assert.equal(guide, replaceCommandList(guide), 'run "npm run command-list" and commit the result');
});

for (const command of ['demo', 'estimate', 'submit', 'accept', 'watch', 'results'])
  test(`assayer --help: ${command} → its usage and examples`, async () => {
    const { code, out } = await runAssayer([command, '--help']);
    assert.equal(code, 0);
    assert.match(out, new RegExp(`^Usage: assayer ${command}[^]*\\nExamples:\\n  assayer ${command}`));
  });

test('assayer --help: migrate, also with an unknown option → its usage, or a message that names the option', async () => {
  const { code, out } = await runAssayer(['migrate', '--help']);
  assert.equal(code, 0);
  assert.match(out, /^Usage: assayer migrate/);
  const wrong = await runAssayer(['migrate', '--nothing']);
  assert.equal(wrong.code, 2);
  assert.equal(wrong.err, '"assayer migrate" has no option --nothing; see "assayer migrate --help".\n');
});

test('exit codes: assayer help exit-codes, the guide → the same codes with the same meanings', async () => {
  const guide = readFileSync(join(ROOT, 'docs/guide/command-line.md'), 'utf8');
  const [, table = ''] = /\| Exit code \| Meaning \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(guide) ?? [];
  const rows = [...table.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => [
    Number(code),
    meaning,
  ]);
  assert.deepEqual(
    rows,
    Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [Number(code), meaning]),
  );
  const { out } = await runAssayer(['help', 'exit-codes'], { columns: 200 });
  for (const [code, meaning] of rows)
    assert.ok(out.includes(`\n  ${String(code).padEnd(4)} ${meaning}\n`), out);
});

const wrong: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['an unknown command', ['frobnicate'], /^There is no command "frobnicate"\./],
  ['a misspelled command', ['reslts', 'X'], /Did you mean "results"\?/],
  ['the beginning of a command', ['estim'], /Did you mean "estimate"\?/],
  ['a misspelled noun', ['invoice', 'list'], /Did you mean "invoices"\?/],
  [
    'a noun without its verb',
    ['invoices'],
    /^Something is missing behind "invoices"\.\n\nUsage: assayer invoices <verb>[^]*\n {2}pay /,
  ],
  [
    'an inherited name',
    ['constructor'],
    /^There is no command "constructor"\. "assayer --help" lists them\.$/m,
  ],
  ['a misspelled topic of the help', ['help', 'filtre'], /Did you mean "filter"\?/],
  ['a misspelled verb of a command', ['audit', 'verfy'], /has no "verfy" \(did you mean "verify"\?\)/],
  ['a misspelled area', ['labs', 'experiments', 'list'], /Did you mean "lab"\?/],
  ['a misspelled value', ['demo', '--type', 'afinity'], /^--type must be .*\(did you mean "affinity"\?\)/],
  [
    'an option before the command',
    ['--url', 'http://x', 'experiments', 'list'],
    /^Options stand behind the command: "assayer COMMAND --url …"\./,
  ],
  ['a misspelled verb', ['tokens', 'rewoke', 'X'], /has no "rewoke" \(did you mean "revoke"\?\); see/],
  ['an unknown option', ['results', 'X', '--xml'], /^"assayer results" has no option --xml; see/],
  ['a missing operand', ['results'], /^CODE is missing; see "assayer results --help"\.$/m],
  [
    'watch without a code',
    ['watch'],
    /^CODE .*"assayer experiments list --watch" shows all\) is missing; see/,
  ],
];
for (const [what, args, sentence] of wrong)
  test(`exit code 2: ${what} → a sentence`, async () => {
    const answer = await runAssayer(args);
    assert.match(answer.err, sentence);
    assert.equal(answer.code, 2);
    assert.equal(answer.out, '');
  });

test('words of commands: every one that a guide, a help, a hint or the changelog names → is a command of now', () => {
  const known = new Set(['help', ...listCommands().map(({ name }) => name), ...operationsByWords.keys()]);
  const nouns = new Set(['lab', ...groupVerbs().keys()]);
  const patterns = ['*.md', 'docs/**/*.md', 'examples/**/*', 'src/**/*.ts', 'bin/*.mjs'];
  const files = globSync(patterns, { cwd: ROOT }).filter((file) =>
    /(?<!\.test)\.(?:md|ts|mjs|py|js)$/.test(file),
  );
  const named = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const mentions = text.matchAll(/(?:[`"(|]|npx |^ *)assayer ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)/gm);
    return [...mentions].map(([, words = '']) => ({ file, words }));
  });
  assert.ok(named.length > 200, String(named.length));
  const isKnown = ({ words }: { readonly words: string }): boolean =>
    nouns.has(words) || [3, 2, 1].some((count) => known.has(words.split(' ').slice(0, count).join(' ')));
  assert.deepEqual(
    named.filter((mention) => !isKnown(mention)),
    [],
  );
});
