/** The chips of a result: its outcome, and its grade with the reasons. */
import { hasFailedPlate } from '../words/failed-plate.ts';
import type { Item } from '#assays/cells.ts';
import { formatOutcome, getAssayView } from '#assays/views.ts';
import { type Markup, markup } from '#ui/markup.ts';
import { outcomeWords } from './readings.ts';
import { renderChip, renderOutcomeChip } from '#ui/pieces.ts';
import type { Assessment, Grade } from '../assessment.ts';
import { GRADE_WORDS, SHORT_GRADE_WORDS, writeReasons } from '../words/outcomes.ts';
import { toSentenceCase } from '#ui/words.ts';

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

/** Only a solid result is green. */
const GRADE_TONES: Readonly<Record<Grade, string>> = {
  solid: 'good',
  with_reservations: 'warn',
  indicative: 'idle',
};

/** The chip of a row of a table. */
export function renderShortGradeChip(assessment: Assessment): Markup {
  return renderGradeChip(assessment, SHORT_GRADE_WORDS);
}

export function renderGradeChip({ grade, reasons }: Assessment, words = GRADE_WORDS): Markup {
  return markup`<span class="chip ${GRADE_TONES[grade]}" title="${writeReasons(reasons)}">${toSentenceCase(words[grade])}</span>`;
}

/** Renders the grade with everything that speaks against the result. */
export function renderAssessment({ grade, reasons }: Assessment): Markup {
  if (reasons.length === 0) return markup`<p class="hint">Grade: ${GRADE_WORDS[grade]}</p>`;
  return markup`<p class="hint">Grade: ${GRADE_WORDS[grade]}. ${writeReasons(reasons)}</p>`;
}
