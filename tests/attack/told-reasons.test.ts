/** What results say of single runs: their messages agree with their numbers, and give the reason of each relation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRecord } from '#core/records.ts';
import { analyzeRun } from './analyze-run.ts';
import { drawCase } from './families/family.ts';
import { getFamily } from './families/registry.ts';
import { readResult, type Reading } from './judge/verdict.ts';

interface Told {
  readonly reading: Reading;
  /** Of a flag of the result: its severity and its message. */
  readonly find: (code: string) => { severity: string; message: string } | undefined;
}

function replay(name: string, seed: number, sequence = 'design-1'): Told {
  const result = analyzeRun(drawCase(getFamily(name), seed).run).results.get(sequence);
  if (result === undefined) throw new Error(`${name}:${seed} has no result of ${sequence}.`);
  const { qc } = result.record;
  const details = isRecord(qc) && Array.isArray(qc['details']) ? qc['details'].filter(isRecord) : [];
  return {
    reading: readResult(result),
    find: (code) => {
      const found = details.find((each) => each['code'] === code);
      return found && { severity: String(found['severity']), message: String(found['message']) };
    },
  };
}

test('TIME_ZERO_OFFSET: times at the edge of their window that hardly change KD → information, KD measured', () => {
  const { reading, find } = replay('ligand_loss', 500001);
  assert.equal(reading.relation, '=');
  assert.equal(find('TIME_ZERO_OFFSET')?.severity, 'info');
  assert.match(
    find('TIME_ZERO_OFFSET')?.message ?? '',
    /start 0\.25 s before and end 5 s before .* or even further/,
  );
});

test('TIME_ZERO_OFFSET: times at the edge of their window that change KD by more than 4 % → a warning, KD an estimate', () => {
  const { reading, find } = replay('late_start', 910014);
  assert.equal(reading.relation, '~');
  assert.equal(find('TIME_ZERO_OFFSET')?.severity, 'warning');
});
