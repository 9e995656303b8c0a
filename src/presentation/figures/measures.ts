/** What the results of each assay are ranked and compared by. */
import { concentrationText, molarText } from '../words/results.ts';
import type { RankedResult } from '#domain/results/ranked.ts';
import type { ShownQuantity } from '#domain/results/store.ts';
import { quantityParts } from '../words/quantities.ts';

type Row = Readonly<Record<string, unknown>>;

export interface Measure {
  readonly title: string;
  /** Of the axis, with its unit. */
  readonly axis: string;
  /** Of the column of numbers. */
  readonly head: string;
  readonly isDecades: boolean;
  readonly format?: (value: number) => string;
  readonly quantityOf: (result: RankedResult) => ShownQuantity | undefined;
  readonly ofReplicate: (row: Row) => unknown;
  readonly relationOfReplicate: (row: Row) => unknown;
  readonly words: (quantity: ShownQuantity) => string | undefined;
  /** A value to compare with. */
  readonly level?: { readonly value: number; readonly name: string };
  /** What the value and its interval are. */
  readonly caption: string;
}

const WIDER = 'interval: 95% CI, the wider of what the fits and what the spread of the replicates allow';

function wordsOf(parts: { value: string; interval: string | undefined } | undefined): string | undefined {
  if (parts === undefined) return undefined;
  return `${parts.value}${parts.interval === undefined ? '' : ` (${parts.interval})`}`;
}

function plainWords(decimals?: number) {
  return (quantity: ShownQuantity) => wordsOf(quantityParts(quantity, decimals));
}

/** `5.2 nM (4.8–5.6)`. */
export function kdWords(quantity: ShownQuantity): string | undefined {
  const said = molarText(quantity);
  return said === undefined ? undefined : wordsOf({ value: said.signed, interval: said.interval });
}

function ratio({ response, threshold }: Row): number | null {
  return typeof response === 'number' && typeof threshold === 'number' && threshold > 0
    ? response / threshold
    : null;
}

/** A response of nothing has no logarithm: it stands at the lower end of the scale, as less than that. */
const RATIO_MIN = 0.1;

function ratioQuantity(row: Row): ShownQuantity | undefined {
  const value = ratio(row);
  if (value === null) return undefined;
  return value < RATIO_MIN ? { value: RATIO_MIN, relation: '<' } : { value, relation: '=' };
}

const AFFINITY: Measure = {
  title: 'Affinity',
  axis: 'KD',
  head: 'KD (95% CI)',
  isDecades: true,
  format: concentrationText,
  quantityOf: ({ quantities }) => quantities.kd,
  ofReplicate: ({ kd }) => kd,
  relationOfReplicate: ({ kd_relation: relation }) => relation,
  words: kdWords,
  caption: `geometric mean over replicates, ${WIDER}`,
};

const MEASURES: Readonly<Record<string, Measure>> = {
  affinity: AFFINITY,
  screening: {
    title: 'Screening',
    axis: 'Response / threshold of the plate',
    head: 'Response / threshold',
    isDecades: true,
    quantityOf: ({ summary }) => ratioQuantity(summary),
    ofReplicate: (row) => ratioQuantity(row)?.value,
    relationOfReplicate: (row) => ratioQuantity(row)?.relation,
    words: plainWords(),
    level: { value: 1, name: 'threshold' },
    caption:
      'mean over replicates at one concentration, without an interval; ranked by z-score, the response in robust deviations from the negative controls of its plate',
  },
  thermostability: {
    title: 'Thermostability',
    axis: 'Tm (°C)',
    head: 'Tm (95% CI)',
    isDecades: false,
    quantityOf: ({ quantities }) => quantities.tm,
    ofReplicate: ({ tm }) => tm,
    relationOfReplicate: () => '=',
    words: plainWords(1),
    caption: `arithmetic mean over replicates, ${WIDER}`,
  },
  expression: {
    title: 'Expression',
    axis: 'Yield (ng/µL)',
    head: 'Yield (95% CI)',
    isDecades: true,
    quantityOf: ({ quantities }) => quantities.yield_ng_per_ul,
    ofReplicate: (row) => row.yield_ng_per_ul,
    relationOfReplicate: (row) => row.yield_ng_per_ul_relation,
    words: plainWords(),
    caption:
      'geometric mean over replicates, interval: 95% CI, which includes the error of the standard curve',
  },
  fluorescence: {
    title: 'Fluorescence',
    axis: 'Intensity relative to the reference',
    head: 'Of reference (95% CI)',
    isDecades: false,
    quantityOf: ({ quantities }) => quantities.normalized_to_control,
    ofReplicate: (row) => row.normalized_to_control,
    relationOfReplicate: (row) => row.normalized_to_control_relation,
    words: plainWords(),
    level: { value: 1, name: 'reference' },
    caption: 'arithmetic mean over replicates, interval: 95% CI of that mean',
  },
};

export function measureOf(experimentType: string): Measure {
  return MEASURES[experimentType] ?? AFFINITY;
}

export function replicatesOf({ summary }: RankedResult): Row[] {
  const { replicates } = summary;
  return (Array.isArray(replicates) ? replicates : []).map((each: unknown) =>
    Object.fromEntries(Object.entries(each ?? {})),
  );
}
