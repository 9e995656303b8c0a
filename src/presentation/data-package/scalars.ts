/**
 * What a result says besides its quantities (`details` and the summary row), as flat columns of `results.csv`. Each assay has the
 * same columns whether or not there is something in them; units stand in their names.
 */
import { findShownAssay } from '../assays/registry.ts';
import { isRecord, memberOf, wordOf, type PackagedResult } from './packaged.ts';
import { columnOf } from './units.ts';

export interface ScalarColumn {
  /** Of the result. */
  readonly member: string;
  readonly name: string;
  /** Empty for words and pure numbers. */
  readonly unit: string;
  readonly meaning: string;
  /** Words, a number, a truth value, or null. */
  of(result: PackagedResult): unknown;
}

export interface Scalar {
  readonly member: string;
  /** Of the column, where it is not that of the member; the unit is put behind it. */
  readonly name?: string;
  readonly unit?: string | ((result: PackagedResult) => string | undefined);
  readonly meaning: string;
}

/** Units that the member's own name ends on. */
const NAMED_UNITS = [/_(m)$/, /_(nm)$/];
const UNIT_OF_SUFFIX: Readonly<Record<string, string>> = { m: 'M', nm: 'nm' };

/** The columns of an assay; `examples` are its results, which know the unit of what has one of its own. */
export class ScalarCollector {
  readonly #scalars: readonly Scalar[];
  readonly #units = new Map<string, string>();

  constructor(experimentType: string) {
    this.#scalars = findShownAssay(experimentType)?.scalars ?? [];
  }

  take(result: PackagedResult): void {
    for (const { member, unit } of this.#scalars) {
      if (typeof unit !== 'function' || this.#units.has(member)) continue;
      const found = unit(result);
      if (found !== undefined) this.#units.set(member, found);
    }
  }

  get columns(): readonly ScalarColumn[] {
    const own = this.#scalars.map(({ member, name = member, unit, meaning }): ScalarColumn => {
      const said = typeof unit === 'function' ? this.#units.get(member) : unit;
      const suffix = NAMED_UNITS.flatMap((pattern) => pattern.exec(name)?.[1] ?? [])[0] ?? '';
      return {
        member,
        name: said === undefined ? name : columnOf(name, said),
        unit: said ?? UNIT_OF_SUFFIX[suffix] ?? '',
        meaning,
        of: (result) => cellOf(memberOf(result, member)),
      };
    });
    return [...own, AGAINST_CONTROLS];
  }
}

const AGAINST_CONTROLS: ScalarColumn = {
  member: 'performance',
  name: 'performance',
  unit: '',
  meaning: 'against each positive control: better, comparable, worse or not_comparable',
  of: ({ summary: [row = {}] }) => {
    const verdicts = isRecord(row.performance) ? Object.entries(row.performance) : [];
    return verdicts.map(([control, verdict]) => `${control}: ${wordOf(verdict) ?? ''}`).join('; ') || null;
  },
};

function cellOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(String).join(' ');
  return typeof value === 'object' || value === undefined ? null : value;
}
