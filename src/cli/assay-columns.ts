/** Thermostability, expression and fluorescence in the terminal and in CSV: columns and the sentence below the table. */
import type { ResultInfo } from '#domain/results/contract.ts';
import { quantityParts, type QuantityParts } from '#presentation/words/quantities.ts';
import { expressionRow } from '#domain/assays/expression/row.ts';
import { fluorescenceRow } from '#domain/assays/fluorescence/row.ts';
import { thermostabilityRow } from '#domain/assays/thermostability/row.ts';
import type { Static } from '#core/schema.ts';
import type { Column } from './table.ts';
import { paletteFor, plainText } from './terminal.ts';
import { countOf } from './words.ts';

type Result = Static<typeof ResultInfo>;
type Cell = string | number | boolean | null | undefined;

interface AssayColumns {
  readonly columns: readonly Column<Result>[];
  readonly csv: readonly (readonly [name: string, cell: (result: Result) => Cell])[];
  /** `12 of 14 unfold`. */
  readonly verb: readonly [singular: string, plural: string];
  readonly counts: (result: Result) => boolean;
  readonly value: (result: Result) => string;
}

/** Empty where there is none. */
function parts(result: Result, name: string, decimals?: number): Record<keyof QuantityParts, string> {
  const said = quantityParts(result.quantities[name], decimals);
  return { number: said?.number ?? '', value: said?.value ?? '', interval: said?.interval ?? '' };
}

function quantityColumns(title: string, name: string, decimals?: number): Column<Result>[] {
  return [
    {
      title,
      align: 'right',
      cell: (result) => parts(result, name, decimals).value,
      style: () => paletteFor(process.stdout).bold,
    },
    { title: '95 % INTERVAL', align: 'right', cell: (result) => parts(result, name, decimals).interval },
  ];
}

function fixed(value: number | null | undefined, decimals: number): string {
  return typeof value === 'number' ? value.toFixed(decimals) : '';
}

/** A bound without its relation would read as a value. */
function valueCsv(name: string, column: string): AssayColumns['csv'] {
  return [
    [column, (result) => result.quantities[name]?.value],
    [`${column}_relation`, (result) => result.quantities[name]?.relation],
  ];
}

function quantityCsv(name: string, column: string): AssayColumns['csv'] {
  return [
    ...valueCsv(name, column),
    [`${column}_ci95_low`, (result) => result.quantities[name]?.ci95_low],
    [`${column}_ci95_high`, (result) => result.quantities[name]?.ci95_high],
  ];
}

const ASSAYS: Readonly<Record<string, AssayColumns>> = {
  thermostability: {
    columns: [
      ...quantityColumns('TM', 'tm', 1),
      {
        title: 'ΔTM °C',
        align: 'right',
        cell: (result) => fixed(thermostabilityRow(result)?.delta_tm_vs_control, 1),
      },
      {
        title: 'ONSET °C',
        rank: 5,
        align: 'right',
        cell: (result) => parts(result, 'tonset', 1).number,
      },
    ],
    csv: [
      ...quantityCsv('tm', 'tm_c'),
      ['tm_method', (result) => thermostabilityRow(result)?.tm_method],
      ...valueCsv('tonset', 'tonset_c'),
      ...valueCsv('tagg', 'tagg_c'),
      ...valueCsv('dh', 'dh_kcal_per_mol'),
      ['delta_tm_vs_control_c', (result) => thermostabilityRow(result)?.delta_tm_vs_control],
      ['no_transition_reason', (result) => thermostabilityRow(result)?.no_transition_reason],
    ],
    verb: ['unfolds', 'unfold'],
    counts: ({ quantities }) => quantities.tm !== undefined,
    value: (result) => parts(result, 'tm', 1).value,
  },
  expression: {
    columns: [
      ...quantityColumns('YIELD', 'yield_ng_per_ul'),
      { title: 'CLASS', cell: (result) => expressionRow(result)?.expression_class ?? '' },
    ],
    csv: [
      ...quantityCsv('yield_ng_per_ul', 'yield_ng_per_ul'),
      ...valueCsv('yield_ug', 'yield_ug'),
      ...valueCsv('molar_um', 'molar_um'),
      ['expression_class', (result) => expressionRow(result)?.expression_class],
      ['expressed', (result) => expressionRow(result)?.expressed],
      ['lloq_ng_per_ul', (result) => expressionRow(result)?.lloq],
      ['uloq_ng_per_ul', (result) => expressionRow(result)?.uloq],
    ],
    verb: ['is expressed', 'are expressed'],
    counts: (result) => expressionRow(result)?.expressed === true,
    value: (result) => parts(result, 'yield_ng_per_ul').value,
  },
  fluorescence: {
    columns: [
      ...quantityColumns('OF REFERENCE', 'normalized_to_control'),
      { title: 'LOG2', align: 'right', cell: (result) => fixed(fluorescenceRow(result)?.log2_fold, 2) },
      { title: 'INTENSITY', rank: 5, align: 'right', cell: (result) => parts(result, 'intensity').value },
    ],
    csv: [
      ...quantityCsv('normalized_to_control', 'normalized_to_control'),
      ...valueCsv('log2_fold', 'log2_fold'),
      ...valueCsv('intensity', 'intensity'),
      ['intensity_unit', (result) => result.quantities.intensity?.unit],
      ['saturated', (result) => fluorescenceRow(result)?.saturated],
      ['z_prime_plate', (result) => fluorescenceRow(result)?.z_prime_plate],
    ],
    verb: ['is bright', 'are bright'],
    counts: ({ place }) => typeof place === 'number',
    value: (result) => parts(result, 'normalized_to_control').value,
  },
};

/** Of the assay that all results share; undefined for the binding assays. */
export function assayColumns(results: readonly Result[]): AssayColumns | undefined {
  const [first] = results;
  const assay = first === undefined ? undefined : ASSAYS[first.experiment_type];
  return results.every(({ experiment_type: type }) => type === first?.experiment_type) ? assay : undefined;
}

/** `22 of 24 unfold; the best is A with 71.2 °C`. */
export function assaySummary(results: readonly Result[], assay: AssayColumns): string {
  const designs = results.filter(({ is_control: isControl }) => !isControl);
  const found = designs.filter((result) => assay.counts(result));
  const isOne = found.length === 1 || designs.length === 1;
  const lead = `${found.length} of ${countOf(designs.length, 'sequence')} ${assay.verb[isOne ? 0 : 1]}`;
  const [best] = found;
  return best === undefined
    ? `${lead}.`
    : `${lead}; the best is ${plainText(best.sequence_name)} with ${assay.value(best)}.`;
}
