import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONNECTION_OPTIONS, nearest, parseOptions } from './options.ts';

const guide = { name: 'results', help: 'help', operands: ['CODE'] };
const options = { ...CONNECTION_OPTIONS, csv: { type: 'boolean' } } as const;
const refused = (args: readonly string[], message: string): void =>
  assert.throws(() => parseOptions(guide, args, options), { message, exitCode: 2 });

describe('options', () => {
  it('are read with their operands', () => {
    const parsed = parseOptions(guide, ['DEMO-1', '--csv', '--url=http://x'], options);
    assert.deepEqual(parsed?.positionals, ['DEMO-1']);
    assert.equal(parsed.values.csv, true);
    assert.equal(parsed.values.url, 'http://x');
  });

  it('unknown ones are answered in a sentence, with the one that was probably meant', () => {
    refused(['X', '--frob'], '"assayer results" has no option --frob; see "assayer results --help".');
    refused(
      ['X', '--cvs'],
      '"assayer results" has no option --cvs (did you mean --csv?); see "assayer results --help".',
    );
  });

  it('operands may be neither missing nor too many', () => {
    refused([], 'CODE is missing; see "assayer results --help".');
    refused(['A', 'B'], '"B" is one argument too many; see "assayer results --help".');
  });

  it('a value must follow where one is needed', () => {
    refused(['X', '--url'], `Option '--url <value>' argument missing; see "assayer results --help".`);
  });

  it('near words are one or two slips away', () => {
    assert.equal(nearest('resluts', ['results', 'start']), 'results');
    assert.equal(nearest('frob', ['results', 'start']), undefined);
  });
});
