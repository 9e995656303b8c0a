/** The results whose model is in doubt: the candidates with their KD side by side. */
import { listReplicates, type PackagedResult } from '../package/packaged.ts';
import type { PdfBlock, PdfColumn } from '#documents/document.ts';
import { describeDoubt, formatBic, type Doubt } from '#assays/binding/candidates.ts';

export function findDoubt(result: PackagedResult): Doubt | undefined {
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
