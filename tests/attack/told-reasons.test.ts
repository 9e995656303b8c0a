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

test('POORLY_IDENTIFIED: the interval of an isotherm leaves less than one digit → the reason of the estimate', () => {
  const { reading, find } = replay('jumps', 300068);
  assert.deepEqual([reading.relation, reading.flags], ['~', ['POORLY_IDENTIFIED']]);
  assert.match(find('POORLY_IDENTIFIED')?.message ?? '', /KD is an estimate: the interval leaves/);
});

test('rate_beyond_limit: a mechanism could put KD above its upper limit → a higher limit, and no message calls it an estimate', () => {
  const { reading, find } = replay('refractive_index_by_dose', 300224);
  assert.equal(reading.relation, '<');
  for (const code of ['OTHER_MECHANISM', 'KOFF_BELOW_LIMIT', 'POORLY_IDENTIFIED'] as const)
    assert.doesNotMatch(find(code)?.message ?? '', /KD is an estimate/, code);
});

test('KOFF_BELOW_LIMIT: much dissociates, but within the noise → the message names the noise, not too little dissociation', () => {
  const { find } = replay('exponential_drift', 49);
  assert.match(
    find('KOFF_BELOW_LIMIT')?.message ?? '',
    /19 % of the complex dissociates: no more than noise could do, so what is stated of koff is its limit/,
  );
});

test('TIME_ZERO_OFFSET: a fit with other times ends at the edge of its search → no KD is stated for them', () => {
  const { reading, find } = replay('linear_drift', 15);
  assert.notEqual(reading.relation, '=');
  assert.match(find('TIME_ZERO_OFFSET')?.message ?? '', /With the others the curves would determine no KD\./);
});

test('CONTROL_FAILED: negative controls and the positive control fail one plate → one flag says both', () => {
  const message =
    replay('screening_control_missed', 300114, 'design-10').find('CONTROL_FAILED')?.message ?? '';
  assert.match(message, /negative controls reach 17 % of the response of a binder/);
  assert.match(message, /control-positive did not give .* KD is 1\.2 µM, and 2\.9 nM was expected/);
});

test('CONTROL_VALUE_UNKNOWN: the positive control responds, but its curves give no KD → a warning on the plate', () => {
  const { find } = replay('screening_control_missed', 940020);
  assert.equal(find('CONTROL_VALUE_UNKNOWN')?.severity, 'warning');
  assert.match(
    find('CONTROL_VALUE_UNKNOWN')?.message ?? '',
    /gives? no KD, so its known KD of .* was not checked/,
  );
});

test('CONTROL_VALUE_UNKNOWN: the curves of the positive control give its known KD, at one dose or two → not raised', () => {
  for (const seed of [940001, 940002, 940003, 940004])
    assert.equal(replay('screening_plain', seed).find('CONTROL_VALUE_UNKNOWN'), undefined);
});

test('NSB: non-binders above their threshold → a warning says why they may be none', () => {
  const sensor = replay('screening_edge_drift', 500011, 'design-9');
  assert.equal(sensor.find('NSB')?.severity, 'warning');
  assert.match(
    sensor.find('NSB')?.message ?? '',
    /negative control of the plate responds as much \(0\.011\)/,
  );
  const chance = replay('screening_edge_drift', 500343, 'design-12');
  assert.equal(chance.reading.call, 'inconclusive');
  const references = replay('screening_plain', 940293, 'design-10');
  assert.match(references.find('NSB')?.message ?? '', /The reference sensors respond differently/);
});

test('NSB, FEW_NEGATIVE_CONTROLS: binders far above the threshold of the same plates → no warning', () => {
  for (const [name, seed] of [
    ['screening_edge_drift', 500011],
    ['screening_edge_drift', 500343],
    ['screening_plain', 940293],
  ] as const)
    assert.deepEqual(replay(name, seed).reading.flags, [], `${name}:${seed}`);
});
