/** The outcome of a result in its colors: what is in doubt does not look firm. */
import { hasFailedPlate } from '#presentation/words/failed-plate.ts';
import type { Item } from '../assays/cells.ts';
import { formatOutcome, getAssayView } from '../assays/registry.ts';
import type { Markup } from '../markup.ts';
import { outcomeWords } from '../words.ts';
import { renderChip, renderOutcomeChip } from './pieces.ts';

/** Outcomes that state something about the sequence. */
const STATED: ReadonlySet<string> = new Set(['measured', 'non_binder']);

export function renderResultChip(item: Item): Markup {
  const { outcome, qc } = item;
  const words = formatOutcome(item);
  if (!STATED.has(outcome)) return renderOutcomeChip(outcome, words);
  if (hasFailedPlate(qc.flags)) return renderChip('warn', `${words}, control failed`);
  const readings = getAssayView(item.experiment_type).getHeadline(item)?.readings ?? [];
  const isEstimate = words === outcomeWords.measured && readings.some(({ value }) => value.startsWith('≈'));
  return isEstimate ? renderChip('warn', 'Estimate') : renderOutcomeChip(outcome, words);
}
