import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { requireConsent } from './confirm.ts';
import { runInTerminal } from './terminal.ts';

/** Answers the question on a terminal with what a person types. */
function answerWith(typed: string): Promise<void> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  // Only a terminal has Ctrl+C.
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const terminal = { stdin, stdout: new PassThrough(), stderr, environment: {} };
  const asked = runInTerminal(terminal, () => requireConsent('Delete it?', false));
  if (typed === '') stdin.end();
  else stdin.write(typed);
  return asked;
}

test('requireConsent: yes → goes on; no → nothing was changed', async () => {
  await answerWith('yes\n');
  await assert.rejects(answerWith('no\n'), { message: 'Nothing was changed.', exitCode: 1 });
});

test('requireConsent: the input ends at the question, as by Ctrl+D → no; Ctrl+C → exit code 130', async () => {
  await assert.rejects(answerWith(''), { message: '\nNothing was changed.', exitCode: 1 });
  await assert.rejects(answerWith('\u0003'), { message: '\nNothing was changed.', exitCode: 130 });
});
