import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatSetting, findSettingUnit } from './methods.ts';

test('settings: numbers with units and powers of ten → shown with the unit of their name', () => {
  const shown: [name: string, value: unknown, text: string][] = [
    ['kon_max', 1e7, '1×10⁷ 1/(M·s)'],
    ['kon_max', 2.5e6, '2.5×10⁶ 1/(M·s)'],
    ['baseline_s', 5, '5 s'],
    ['association_s', null, 'none'],
    ['control_kd_m', 6.6e-9, '6.6 nM'],
    ['concentration_m', 1e-9, '1 nM'],
    ['concentration_m', 2e-13, '0.2 pM'],
    ['injections_m', [1e-9, 3e-9, 0], '1 nM, 3 nM, 0 nM'],
    ['control_tm_c', 71.5, '71.5 °C'],
    ['folded_per_c', -12, '−12 per °C'],
    ['delta_cp_kcal_per_mol_k', 1.5, '1.5 kcal/(mol·K)'],
    ['expressed_min_ng_per_ul', 2, '2 ng/µL'],
    ['reaction_volume_ul', 50, '50 µL'],
    ['recovery_min_pct', 80, '80 %'],
    ['rms_pct_rmax_max', 5, '5 % of Rmax'],
    ['spike_sd', 12, '12 SD'],
    ['analyte_mass_da', 150_000, '150000 Da'],
    ['ex_nm', 485, '485 nm'],
    ['r2_min', 0.95, '0.95'],
    ['model', 'auto', 'auto'],
    ['drift', true, 'true'],
  ];
  for (const [name, value, text] of shown)
    assert.equal(formatSetting(value, findSettingUnit(name)), text, name);
});
