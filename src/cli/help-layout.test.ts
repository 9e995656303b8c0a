import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCommands } from './commands.ts';
import { wrapHelp } from './help-layout.ts';
import { writeHelp } from './options.ts';

const HELP = `Usage: assayer list LIST [--filter FILTER] [--accept [--pay]]
       assayer LIST list

Lists what the service has, with filters and sorting, page
by page.

  --filter FILTER  one condition, such as
                   eq(status,done)
  --a-very-long-option-name VALUE  its meaning in a few words

Examples:
  assayer list experiments --filter 'in(status,draft,quote_sent)'`;

test('help: a terminal of 40 columns → texts break between words at their column, examples stay whole', () => {
  assert.equal(
    wrapHelp(HELP, 40),
    `Usage: assayer list LIST
           [--filter FILTER]
           [--accept [--pay]]
       assayer LIST list

Lists what the service has, with filters
and sorting, page by page.

  --filter FILTER
      one condition, such as
      eq(status,done)
  --a-very-long-option-name VALUE
      its meaning in a few words

Examples:
  assayer list experiments --filter 'in(status,draft,quote_sent)'`,
  );
});

test('help: a terminal that is wide enough, or a file → the text as it is written', () => {
  for (const width of [80, Infinity]) assert.equal(wrapHelp(HELP, width), HELP);
});

test('help: every command at 60 columns → no longer line but commands to copy, and no word is lost', async () => {
  const listWords = (text: string): readonly string[] => text.trim().split(/\s+/).toSorted();
  for (const command of listCommands()) {
    const { name } = command;
    const help = writeHelp(await command.readGuide());
    const wrapped = wrapHelp(help, 60);
    assert.deepEqual(listWords(wrapped), listWords(help), name);
    const long = wrapped.split('\n').filter((line) => line.length > 60 && !/^  .*assayer /.test(line));
    assert.deepEqual(long, [], name);
  }
});
