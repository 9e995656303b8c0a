/** Units in column names. */

const UNIT_SUFFIXES: Readonly<Record<string, string>> = {
  M: 'm',
  '1/(M·s)': 'per_m_s',
  '1/s': 'per_s',
  'nm/s': 'nm_per_s',
  '°C': 'c',
  'ng/µL': 'ng_per_ul',
  'kcal/mol': 'kcal_per_mol',
  'kJ/mol': 'kj_per_mol',
  '%': 'percent',
};

/** Returns the flat column name of a quantity with its unit as the last word: `kd` in M → `kd_m`. */
export function formatColumn(name: string, unit: string): string {
  const known = UNIT_SUFFIXES[unit];
  const suffix =
    known ??
    unit
      .toLowerCase()
      .replaceAll('µ', 'u')
      .replaceAll('²', '2')
      .replaceAll(/[^a-z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
  return suffix === '' || name.endsWith(`_${suffix}`) ? name : `${name}_${suffix}`;
}
