import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellFailedPlates } from './failed-plates.ts';
import type { PackagedResult } from './packaged.ts';

const REASON = 'The positive control C did not give its expected result on plate 1: it does not bind.';

function createResult(flags: readonly string[]): PackagedResult {
  return {
    id: 'r1',
    title: 'Affinity of design-1',
    sequence_name: 'design-1',
    is_control: false,
    outcome: 'measured',
    status: 'final',
    version: 1,
    place: 1,
    binding_score: null,
    n_replicates: 1,
    n_replicates_passed: 1,
    excluded_replicates: [],
    qc: { pass: true, flags, details: flags.map((code) => ({ code, severity: 'warning', message: REASON })) },
    quantities: {},
    rows: [],
    analysis: {},
  };
}

function tell(results: readonly PackagedResult[]): string | undefined {
  const collector = tellFailedPlates();
  for (const result of results) collector.take(result);
  return collector.writeSentence();
}

test('CONTROL_FAILED: two of three results are from such a plate → counted, with each reason once', () => {
  const text = tell([createResult(['CONTROL_FAILED']), createResult(['CONTROL_FAILED']), createResult([])]);
  assert.ok(text !== undefined && text.includes(': 2 of 3.'), text);
  assert.equal(text.split(REASON).length, 2);
});

test('CONTROL_FAILED: no result has the flag → nothing is said', () => {
  assert.equal(tell([createResult(['NO_REFERENCE'])]), undefined);
});
