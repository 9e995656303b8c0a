import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResultInfo } from '../../results/contract.ts';
import { listReplicateRows } from './decision-rows.ts';

function listValues(row: object, plates: readonly object[]): (string | null)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the rows read
  const item = { sequence_name: 'design-1', rows: [row], analysis: { plates } } as unknown as ResultInfo;
  return listReplicateRows(item, []).map(({ value }) => value);
}

test('decisions: replicates of affinity without KD → each response has the unit of the plates', () => {
  const replicates = [
    { replicate: 1, plate: 'P1', response: 0.0123 },
    { replicate: 2, plate: 'P1', response: 12.5 },
    { replicate: 3, plate: 'P1', kd: 1e-9, kd_relation: '=', response: 0.3 },
  ];
  const row = { result_type: 'affinity', replicates };
  assert.deepEqual(listValues(row, [{ plate: 'P1', signal_unit: 'nm' }]), ['0.0123 nm', '12.5 nm', '1.0 nM']);
  assert.deepEqual(listValues({ ...row, replicates: replicates.slice(0, 1) }, [{ plate: 'P1' }]), ['0.0123']);
});

test('decisions: replicates of screening and fluorescence → the unit that their row states', () => {
  const screened = {
    result_type: 'affinity',
    replicates: [{ replicate: 1, plate: 'P1', response: 0.5 }],
    response_unit: 'RU',
  };
  assert.deepEqual(listValues(screened, [{ plate: 'P1', signal_unit: 'nm' }]), ['0.500 RU']);
  const bright = { replicate: 1, intensity: 257_250, intensity_relation: '>' };
  const row = { result_type: 'fluorescence', replicates: [bright], intensity_unit: 'RFU' };
  assert.deepEqual(listValues(row, []), ['> 257000 RFU']);
});
