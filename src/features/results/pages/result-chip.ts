/** The outcome of a result in its colors: what is in doubt does not look firm. */
import { hasFailedPlate } from '../words/failed-plate.ts';
import type { Item } from '#assays/cells.ts';
import { formatOutcome, getAssayView } from '#assays/views.ts';
import type { Markup } from '#ui/markup.ts';
import { outcomeWords } from './readings.ts';
import { renderChip, renderOutcomeChip } from '#ui/pieces.ts';

/** Outcomes that state something about the sequence. */
const STATED: ReadonlySet<string> = new Set(['measured', 'non_binder']);

export function renderResultChip(item: Item): Markup {
  const { outcome, qc } = item;
  const words = formatOutcome(item);
  const view = getAssayView(item.experiment_type);
  if (!STATED.has(outcome)) return renderOutcomeChip(outcome, words);
  if (hasFailedPlate(qc.flags)) return renderChip('warn', `${words}, control failed`);
  if (outcome === 'measured' && view.isUnanswered?.(item) === true) return renderChip('warn', words);
  const readings = view.getHeadline(item)?.readings ?? [];
  const isSolid = item.assessment.grade === 'solid';
  if (words === outcomeWords.measured) {
    if (readings.some(({ value }) => value.startsWith('≈'))) return renderChip('warn', 'Estimate');
    if (readings.some(({ value }) => /^[<>]/.test(value))) return renderChip('idle', 'Limit');
  }
  return isSolid || outcome !== 'measured' ? renderOutcomeChip(outcome, words) : renderChip('warn', words);
}
