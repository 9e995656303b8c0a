import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONNECTION_OPTIONS, nearest, parseOptions } from './options.ts';

const guide = { name: 'results', help: 'help', operands: ['CODE'] };
const options = { ...CONNECTION_OPTIONS, csv: { type: 'boolean' } } as const;
const refused = (args: readonly string[], message: string): void =>
  assert.throws(() => parseOptions(guide, args, options), { message, exitCode: 2 });

describe('options', () => {
  it('parseOptions: options and operands → both are read', () => {
    const parsed = parseOptions(guide, ['DEMO-1', '--csv', '--url=http://x'], options);
    assert.deepEqual(parsed?.positionals, ['DEMO-1']);
    assert.equal(parsed.values.csv, true);
    assert.equal(parsed.values.url, 'http://x');
  });

  it('parseOptions: an unknown option → a sentence with the nearest one', () => {
    refused(['X', '--frob'], '"assayer results" has no option --frob; see "assayer results --help".');
    refused(
      ['X', '--cvs'],
      '"assayer results" has no option --cvs (did you mean --csv?); see "assayer results --help".',
    );
  });

  it('parseOptions: a missing or surplus operand → a sentence', () => {
    refused([], 'CODE is missing; see "assayer results --help".');
    refused(['A', 'B'], '"B" is one argument too many; see "assayer results --help".');
  });

  it('parseOptions: an option without its value → a sentence', () => {
    refused(['X', '--url'], `Option '--url <value>' argument missing; see "assayer results --help".`);
  });

  it('nearest: a word with one or two slips → the known word', () => {
    assert.equal(nearest('resluts', ['results', 'start']), 'results');
    assert.equal(nearest('frob', ['results', 'start']), undefined);
  });
});
