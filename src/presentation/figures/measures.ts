/** The measure by which the results of each assay are ranked and compared. */
import { molarText } from '../words/results.ts';
import type { RankedResult } from '#domain/results/ranked.ts';
import type { ShownQuantity } from '#domain/results/store.ts';
import { quantityParts } from '../words/quantities.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface Measure {
  readonly title: string;
  /** Title of the axis, with its unit. */
  readonly axis: string;
  /** Heading of the column of numbers. */
  readonly head: string;
  readonly isDecades: boolean;
  readonly format?: (value: number) => string;
  readonly quantityOf: (result: RankedResult) => ShownQuantity | undefined;
  readonly ofReplicate: (row: Row) => unknown;
  readonly relationOfReplicate: (row: Row) => unknown;
  readonly words: (quantity: ShownQuantity) => string | undefined;
  /** A value for comparison. */
  readonly level?: { readonly value: number; readonly name: string };
  /** Explains the value and its interval. */
  readonly caption: string;
}

export const WIDER =
  'interval: 95% CI, the wider of the intervals from the fits and from the spread of the replicates';

function wordsOf(parts: { value: string; interval: string | undefined } | undefined): string | undefined {
  if (parts === undefined) return undefined;
  return `${parts.value}${parts.interval === undefined ? '' : ` (${parts.interval})`}`;
}

export function plainWords(decimals?: number) {
  return (quantity: ShownQuantity) => wordsOf(quantityParts(quantity, decimals));
}

/** `5.2 nM (4.8–5.6)`. */
export function kdWords(quantity: ShownQuantity): string | undefined {
  const said = molarText(quantity);
  return said === undefined ? undefined : wordsOf({ value: said.signed, interval: said.interval });
}

export function replicatesOf({ summary }: RankedResult): Row[] {
  const { replicates } = summary;
  return (Array.isArray(replicates) ? replicates : []).map((each: unknown) =>
    Object.fromEntries(Object.entries(each ?? {})),
  );
}
