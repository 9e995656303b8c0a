import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AGAIN, CONNECTION, parseOptions, writeHelp } from './options.ts';

const guide = {
  name: 'results',
  usage: ['CODE [--csv]', '--run RUN [FILE...]'],
  about: 'Prints results.',
  options: { csv: 'for spreadsheets', 'run RUN': '', 'since DATE…': 'from then on', ...AGAIN, ...CONNECTION },
  notes: 'Best first.',
  examples: ['results DEMO-1'],
};
const expectRefused = (args: readonly string[], message: string): void =>
  assert.throws(() => parseOptions(guide, args), { message, exitCode: 2 });

describe('options', () => {
  it('parseOptions: options and operands → both are read', () => {
    const parsed = parseOptions(guide, ['DEMO-1', '--csv', '--url=http://x']);
    assert.deepEqual(parsed.positionals, ['DEMO-1']);
    assert.equal(parsed.values.csv, true);
    assert.equal(parsed.values.url, 'http://x');
  });

  it('parseOptions: an unknown option → a sentence with the nearest one', () => {
    expectRefused(['X', '--frob'], '"assayer results" has no option --frob; see "assayer results --help".');
    expectRefused(
      ['X', '--cvs'],
      '"assayer results" has no option --cvs (did you mean --csv?); see "assayer results --help".',
    );
  });

  it('parseOptions: a missing or surplus operand → a sentence', () => {
    expectRefused([], 'CODE is missing; see "assayer results --help".');
    expectRefused([''], 'CODE is missing; see "assayer results --help".');
    expectRefused(['A', 'B'], '"B" is one argument too many; see "assayer results --help".');
  });

  it('parseOptions: an option of one value given twice → a sentence; --yes is taken by every command', () => {
    expectRefused(['X', '--token', 'a', '--token=b'], '--token is given twice; it takes one value.');
    assert.equal(parseOptions(guide, ['X', '--csv', '--csv', '-y']).values.csv, true);
    const { values } = parseOptions(guide, ['X', '--since', 'a', '--since', 'b']);
    assert.deepEqual(values.since, ['a', 'b']);
  });

  it('parseOptions: two options that the usage has as one or the other → a sentence', () => {
    const either = { ...guide, usage: ['CODE [--csv | --json]'], options: { csv: '', json: '' } };
    assert.throws(() => parseOptions(either, ['X', '--csv', '--json']), {
      message: '--csv and --json exclude each other; see "assayer results --help".',
      exitCode: 2,
    });
  });

  it('parseOptions: an option with which a form of the usage begins → the operands of that form', () => {
    assert.deepEqual(parseOptions(guide, ['--run', 'R', 'a', 'b']).positionals, ['a', 'b']);
    assert.deepEqual(parseOptions(guide, ['--run', 'R']).positionals, []);
  });

  it('parseOptions: an empty value, as of an unset variable → a sentence, and never the default', () => {
    for (const name of ['url', 'token', 'idempotency-key', 'run'])
      expectRefused(
        ['X', `--${name}`, ''],
        `--${name} is empty: give it a value or leave it out. Is a variable of the shell unset?`,
      );
  });

  it('writeHelp: a guide → usage, text, own options, notes, shared options and examples, in this order', () => {
    const help = writeHelp(guide);
    assert.match(
      help,
      /^Usage: assayer results CODE \[--csv\]\n {7}assayer results --run RUN \[FILE\.\.\.\]\n\nPrints results\.\n\n {2}--csv {9}for spreadsheets\n {2}--since DATE {2}from then on\n\nBest first\.\n\nAgain:\n {2}--idempotency-key KEY {2}[^\n]+\n\nServer:\n {2}--url URL {7}[^]+\n\nExamples:\n {2}assayer results DEMO-1$/,
    );
    assert.ok(!help.includes('--run RUN  '));
  });

  it('parseOptions: an option without its value → a sentence', () => {
    expectRefused(['X', '--csv=1'], '--csv is a switch and takes no value; see "assayer results --help".');
    expectRefused(
      ['X', '--url', '--csv'],
      '--url needs a value; one that begins with "-" is written --url=VALUE; see "assayer results --help".',
    );
    expectRefused(['X', '--url'], '--url needs a value; see "assayer results --help".');
  });
});
