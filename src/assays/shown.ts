/** The assays whose results can be shown. */
import type { ResultCurves } from '#features/results/store.ts';
import type { Scene } from '#documents/scene.ts';
import { loadParts } from './registry.ts';
import type { ShownAssay } from './shown-assay.ts';
import type { Outcome } from '#features/results/contract.ts';
import type { Row } from '#documents/records.ts';
import { COUNTED_OUTCOMES, OUTCOME_WORDS } from '#features/results/words/outcomes.ts';

const SHOWN = await loadParts((assay) => assay.loadShown());

export function findShownAssay(experimentType: string): ShownAssay | undefined {
  return Object.hasOwn(SHOWN, experimentType) ? SHOWN[experimentType] : undefined;
}

/** Returns the assay of an experiment with results. An assay that is not in the registry has none: a fault of ours. */
export function requireShownAssay(experimentType: string): ShownAssay {
  const shown = findShownAssay(experimentType);
  if (shown === undefined) throw new Error(`results of ${experimentType} cannot be shown: no such assay`);
  return shown;
}

/** Draws the figure of one result of any assay. */
export function drawResult(result: ResultCurves): Scene {
  return requireShownAssay(result.experiment_type).draw(result);
}

/** The outcome of a sequence in the words of its assay, which may say more than `measured`. */

/** An outcome, and the row that it belongs to: of a sequence or of a replicate. */
export interface Happened {
  readonly outcome: Outcome;
  readonly row: Row;
}

/** `no transition`; undefined where the assay has no more to say than that it measured. */
function describeMeasured({ outcome, row }: Happened, experimentType: string): string | undefined {
  return outcome === 'measured' ? findShownAssay(experimentType)?.measure.describeMeasured?.(row) : undefined;
}

/** What a screen found is no measurement of an affinity: `binding detected`. */
function describeFound({ outcome, row }: Happened, experimentType: string): string | undefined {
  return outcome === 'measured' ? findShownAssay(experimentType)?.measure.describeFound?.(row) : undefined;
}

function describeOwn(happened: Happened, experimentType: string): string | undefined {
  return describeMeasured(happened, experimentType) ?? describeFound(happened, experimentType);
}

/** `failed QC`, `no transition`. */
export function formatOutcome(happened: Happened, experimentType: string): string {
  return describeOwn(happened, experimentType) ?? OUTCOME_WORDS[happened.outcome];
}

/** Behind a number: `failed quality control`, `with no transition`. */
export function formatCountedOutcome(happened: Happened, experimentType: string): string {
  const measured = describeOwn(happened, experimentType);
  return measured === undefined ? COUNTED_OUTCOMES[happened.outcome] : `with ${measured}`;
}

/** Whether the sequence was measured and the assay found what it looks for, so that its curves deserve a figure. */
export function isFound(happened: Happened, experimentType: string): boolean {
  return happened.outcome === 'measured' && describeMeasured(happened, experimentType) === undefined;
}
