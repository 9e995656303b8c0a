/** The measure by which the results of each assay are ranked and compared. */
import { formatMolar } from '../words/results.ts';
import type { RankedResult } from '../ranked.ts';
import type { ShownQuantity } from '../store.ts';
import { formatQuantityParts } from '../words/quantities.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface Measure {
  readonly title: string;
  /** Title of the axis, with its unit. */
  readonly axis: string;
  /** Heading of the column of numbers. */
  readonly head: string;
  readonly isDecades: boolean;
  readonly format?: (value: number) => string;
  readonly getQuantity: (result: RankedResult) => ShownQuantity | undefined;
  readonly getReplicateValue: (row: Row) => unknown;
  readonly getReplicateRelation: (row: Row) => unknown;
  readonly formatQuantity: (quantity: ShownQuantity) => string | undefined;
  /** A value for comparison. */
  readonly level?: { readonly value: number; readonly name: string };
  /** Explains the value and its interval. */
  readonly caption: string;
  /** Of a row with the outcome `measured`, where the assay can say more: `no transition`. */
  readonly describeMeasured?: (row: Row) => string | undefined;
  /** Of a row in which the assay found what it looks for, where another word than `measured` is right. */
  readonly describeFound?: (row: Row) => string | undefined;
}

export const WIDER =
  'interval: 95% CI, the wider of the intervals from the fits and from the spread of the replicates';

function joinParts(parts: { value: string; interval: string | undefined } | undefined): string | undefined {
  if (parts === undefined) return undefined;
  return `${parts.value}${parts.interval === undefined ? '' : ` (${parts.interval})`}`;
}

export function createFormatter(decimals?: number) {
  return (quantity: ShownQuantity) => joinParts(formatQuantityParts(quantity, decimals));
}

/** `5.2 nM (4.8–5.6)`. */
export function formatKd(quantity: ShownQuantity): string | undefined {
  const parts = formatMolar(quantity);
  return parts === undefined ? undefined : joinParts({ value: parts.signed, interval: parts.interval });
}

export function listReplicates({ summary }: RankedResult): Row[] {
  const { replicates } = summary;
  return (Array.isArray(replicates) ? replicates : []).map((each: unknown) =>
    Object.fromEntries(Object.entries(each ?? {})),
  );
}
