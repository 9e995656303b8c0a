import assert from 'node:assert/strict';
import { test } from 'node:test';
import { result as example } from '../examples.ts';
import { renderQuantityTable } from './result.ts';

test('table of quantities: any order in the record → what the assay measures stands first', () => {
  const readNames = (type: string, names: readonly string[]): (string | undefined)[] => {
    const quantity = {
      value: 1,
      unit: '',
      relation: '=' as const,
      ci95_low: null,
      ci95_high: null,
      log10_sd: null,
      n: 1,
    };
    const quantities = Object.fromEntries(names.map((name) => [name, quantity]));
    const table = renderQuantityTable({ ...example, experiment_type: type, quantities })?.text ?? '';
    return [...table.matchAll(/<th scope="row">(.*?)<\/th>/g)].map(([, name]) =>
      name?.replaceAll(/<[^>]+>/g, ''),
    );
  };
  assert.deepEqual(readNames('expression', ['molar_um', 'yield_ug', 'yield_ng_per_ul']), [
    'Yield',
    'Concentration',
    'Yield of one reaction',
  ]);
  assert.deepEqual(readNames('fluorescence', ['intensity', 'log2_fold', 'normalized_to_control']), [
    'Relative intensity',
    'log₂ fold',
    'Intensity',
  ]);
});
