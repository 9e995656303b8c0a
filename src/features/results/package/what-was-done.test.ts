import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPackaged } from '#testing/report-tables.ts';
import { tellFailedPlates } from './what-was-done.ts';
import type { PackagedResult } from './packaged.ts';

const REASON = 'The positive control C did not give its expected result on plate 1: it does not bind.';

function createFlagged(flags: readonly string[]): PackagedResult {
  const details = flags.map((code) => ({ code, severity: 'warning', message: REASON }));
  return createPackaged({ qc: { pass: true, flags, details } });
}

function tell(results: readonly PackagedResult[]): string | undefined {
  const collector = tellFailedPlates();
  for (const result of results) collector.take(result);
  return collector.writeSentence();
}

test('CONTROL_FAILED: two of three results are from such a plate → counted, with each reason once', () => {
  const text = tell([
    createFlagged(['CONTROL_FAILED']),
    createFlagged(['CONTROL_FAILED']),
    createFlagged([]),
  ]);
  assert.ok(text !== undefined && text.includes(': 2 of 3.'), text);
  assert.equal(text.split(REASON).length, 2);
});

test('CONTROL_FAILED: no result has the flag → nothing is said', () => {
  assert.equal(tell([createFlagged(['NO_REFERENCE'])]), undefined);
});
