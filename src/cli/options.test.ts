import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONNECTION_OPTIONS, parseOptions } from './options.ts';

const guide = { name: 'results', help: 'help', operands: ['CODE'] };
const options = { ...CONNECTION_OPTIONS, csv: { type: 'boolean' } } as const;
const expectRefused = (args: readonly string[], message: string): void =>
  assert.throws(() => parseOptions(guide, args, options), { message, exitCode: 2 });

describe('options', () => {
  it('parseOptions: options and operands → both are read', () => {
    const parsed = parseOptions(guide, ['DEMO-1', '--csv', '--url=http://x'], options);
    assert.deepEqual(parsed?.positionals, ['DEMO-1']);
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
    expectRefused(['A', 'B'], '"B" is one argument too many; see "assayer results --help".');
  });

  it('parseOptions: an option of one value given twice → a sentence; --yes is taken by every command', () => {
    expectRefused(['X', '--token', 'a', '--token=b'], '--token is given twice; it takes one value.');
    assert.equal(parseOptions(guide, ['X', '--csv', '--csv', '--yes'], options)?.values.csv, true);
  });

  it('parseOptions: an option without its value → a sentence', () => {
    expectRefused(['X', '--url'], `Option '--url <value>' argument missing; see "assayer results --help".`);
  });
});
