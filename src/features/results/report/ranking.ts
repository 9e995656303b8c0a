/** The table of the results with a value, best first. */
import type { PdfBlock, PdfColumn } from '#documents/document.ts';
import { findShownAssay } from '#assays/shown.ts';
import {
  chooseMainQuantities,
  formatQuantityCell,
  nameQuantity,
  findCommonFlags,
  formatOwnFlags,
  formatSequence,
  formatSignal,
  joinRemarks,
} from './cells.ts';
import { type PackagedResult, listReplicates } from '../package/packaged.ts';
import { formatShortGrade } from '../words/outcomes.ts';
import { formatPassedOfOrdered } from '../words/replicates.ts';
import { describeDoubt, formatBic, type Doubt } from '#assays/binding/candidates.ts';

/** `all` are the results of the experiment, whose common flags are stated elsewhere; `ranked` are those with a value. */
export function buildRanking(
  experimentType: string,
  all: readonly PackagedResult[],
  ranked: readonly PackagedResult[],
): PdfBlock[] {
  if (ranked.length === 0) return [];
  const shown = chooseMainQuantities(experimentType, ranked);
  const assay = findShownAssay(experimentType);
  const hasThreshold = assay?.isCall === true;
  const common = findCommonFlags(all);
  const describeRemarks = (result: PackagedResult): string =>
    joinRemarks(assay?.formatRemark?.(result) ?? '', formatOwnFlags(result, common));
  const hasRemarks = ranked.some((result) => describeRemarks(result) !== '');
  const columns: PdfColumn[] = [
    { title: 'Grade', align: 'left' },
    { title: '#', align: 'right' },
    { title: 'Sequence', align: 'left', grows: true },
    ...shown.map((name, index): PdfColumn => {
      const title = nameQuantity(name);
      return {
        title: index === 0 && hasIntervals(ranked, name) ? `${title} (95% CI)` : title,
        align: 'right',
      };
    }),
    ...(hasThreshold ? THRESHOLD_COLUMNS : []),
    { title: 'Passed', align: 'right' },
    ...(hasRemarks ? [{ title: 'Remarks', align: 'left', grows: true } as const] : []),
  ];
  const rows = ranked.map((result) => [
    formatShortGrade(result),
    result.place === null ? '' : String(result.place),
    formatSequence(result),
    ...shown.map((name, index) => writeQuantityCell(result, name, index === 0)),
    ...(hasThreshold ? [formatSignal(result, 'response'), formatSignal(result, 'threshold')] : []),
    formatPassedOfOrdered(result),
    ...(hasRemarks ? [describeRemarks(result)] : []),
  ]);
  return [
    { kind: 'heading', text: hasThreshold ? 'Binders' : 'Ranking' },
    { kind: 'table', columns, rows },
    { kind: 'paragraph', muted: true, text: writeNote(ranked, shown) },
  ];
}

const THRESHOLD_COLUMNS: readonly PdfColumn[] = [
  { title: 'Response', align: 'right' },
  { title: 'Threshold', align: 'right' },
];

/** Explains the marks that the table has. */
function writeNote(ranked: readonly PackagedResult[], shown: readonly string[]): string {
  const hasInterval = shown.slice(0, 1).some((name) => hasIntervals(ranked, name));
  return [
    ...(hasInterval
      ? ['In brackets: 95 % confidence interval, of the mean over replicates or of the single one.']
      : []),
    ...(shown.length === 0 ? [] : ['“<” and “>” are limits of what the assay resolves, “≈” is an estimate.']),
    'Passed: replicates that passed quality control, of those ordered, or of those measured where they are more.',
  ].join(' ');
}

function hasIntervals(results: readonly PackagedResult[], name: string): boolean {
  return results.some(({ quantities }) => typeof quantities[name]?.ci95_low === 'number');
}

/** Where the model is in doubt the candidates stand side by side, because one KD would say too much. */
function writeQuantityCell(result: PackagedResult, name: string, withInterval: boolean): string {
  const doubt = name === 'kd' ? findDoubt(result) : undefined;
  if (doubt === undefined) return formatQuantityCell(result.quantities[name], withInterval);
  return doubt.values;
}

/** The results whose model is in doubt: the candidates with their KD side by side. */
function findDoubt(result: PackagedResult): Doubt | undefined {
  const { outcome, qc, details } = result;
  return outcome === 'measured'
    ? describeDoubt({ flags: qc.flags, replicates: listReplicates(result), details })
    : undefined;
}

const COLUMNS: readonly PdfColumn[] = [
  { title: 'Sequence', align: 'left', grows: true },
  { title: 'Model', align: 'left' },
  { title: 'KD', align: 'right' },
  { title: 'ΔBIC', align: 'right' },
];

export function buildDoubtBlocks(results: readonly PackagedResult[]): PdfBlock[] {
  const rows = results.flatMap((result) =>
    (findDoubt(result)?.candidates ?? []).map(({ name, kd, deltaBic, isUsed }, index) => [
      index === 0 ? result.sequence_name : '',
      isUsed ? `${name} (fitted)` : name,
      `≈ ${kd}`,
      deltaBic === null ? '' : formatBic(deltaBic),
    ]),
  );
  if (rows.length === 0) return [];
  return [
    { kind: 'heading', text: 'Results whose model is in doubt' },
    { kind: 'table', columns: COLUMNS, rows },
    {
      kind: 'paragraph',
      muted: true,
      text: 'ΔBIC: against 1:1 binding; below −10 a model describes the curves far better. KD by each model is the geometric mean over the replicates in doubt. The values of the tables are those of the fitted model.',
    },
  ];
}
