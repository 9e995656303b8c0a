/**
 * The values of a result beside its quantities (`details` and the row), as flat columns of `results.csv`. All
 * experiments of an assay have the same columns, empty or not; units are part of the names.
 */
import { isRecord } from '#core/records.ts';
import { findShownAssay } from '#assays/shown.ts';
import { findValue, findText, type PackagedResult } from './packaged.ts';

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

export interface ScalarColumn {
  /** Of the result. */
  readonly member: string;
  readonly name: string;
  /** Empty for words and pure numbers. */
  readonly unit: string;
  readonly meaning: string;
  /** Returns text, a number, a truth value, or null. */
  getValue(result: PackagedResult): unknown;
}

export interface Scalar {
  readonly member: string;
  /** Name of the column, if it differs from that of the member; the unit is appended. */
  readonly name?: string;
  readonly unit?: string | ((result: PackagedResult) => string | undefined);
  readonly meaning: string;
  /** Default: the member of the details or of the row. */
  readonly getValue?: (result: PackagedResult) => unknown;
}

/** Unit endings of member names. */
const NAMED_UNITS = [/_(m)$/, /_(nm)$/];
const UNIT_OF_SUFFIX: Readonly<Record<string, string>> = { m: 'M', nm: 'nm' };

/** Collects the columns of an assay; `examples` are its results, which contain units that vary. */
export class ScalarCollector {
  readonly #scalars: readonly Scalar[];
  readonly #units = new Map<string, string>();

  constructor(experimentType: string) {
    this.#scalars = findShownAssay(experimentType)?.scalars ?? [];
  }

  take(result: PackagedResult): void {
    for (const { member, unit } of this.#scalars) {
      if (typeof unit !== 'function' || this.#units.has(member)) continue;
      const unitOfResult = unit(result);
      if (unitOfResult !== undefined) this.#units.set(member, unitOfResult);
    }
  }

  get columns(): readonly ScalarColumn[] {
    const own = this.#scalars.map((scalar): ScalarColumn => {
      const { member, name = member, unit, meaning, getValue } = scalar;
      const columnUnit = typeof unit === 'function' ? this.#units.get(member) : unit;
      const suffix = NAMED_UNITS.flatMap((pattern) => pattern.exec(name)?.[1] ?? [])[0] ?? '';
      return {
        member,
        name: columnUnit === undefined ? name : formatColumn(name, columnUnit),
        unit: columnUnit ?? UNIT_OF_SUFFIX[suffix] ?? '',
        meaning,
        getValue: getValue ?? ((result) => toCell(member, findValue(result, member))),
      };
    });
    return [...own, AGAINST_CONTROLS];
  }
}

const AGAINST_CONTROLS: ScalarColumn = {
  member: 'comparison',
  name: 'comparison',
  unit: '',
  meaning: 'against each positive control: better, comparable, worse or not_comparable',
  getValue: ({ rows: [row = {}] }) => {
    const verdicts = isRecord(row.comparison) ? Object.entries(row.comparison) : [];
    return verdicts.map(([control, verdict]) => `${control}: ${findText(verdict) ?? ''}`).join('; ') || null;
  },
};

function toCell(member: string, value: unknown): unknown {
  if (Array.isArray(value))
    return value.length === 0 ? null : value.map((item) => formatItem(member, item)).join(' ');
  return typeof value === 'object' || value === undefined ? null : value;
}

/** Concentrations span decades: each has its power of ten, because a program reads the list as text. */
function formatItem(member: string, item: unknown): string {
  return typeof item === 'number' && member.endsWith('_m') ? item.toExponential() : String(item);
}
