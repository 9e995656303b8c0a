/** The grade of a result as a chip, and its reasons. */
import type { Assessment, Grade } from '#domain/results/assessment.ts';
import { GRADE_WORDS } from '#presentation/words/grades.ts';
import { markup, type Markup } from '../markup.ts';
import { toSentenceCase } from '../words.ts';

/** Only a solid result is green. */
export const GRADE_TONES: Readonly<Record<Grade, string>> = {
  solid: 'good',
  with_reservations: 'warn',
  indicative: 'idle',
};

export function renderGradeChip({ grade, reasons }: Assessment): Markup {
  return markup`<span class="chip ${GRADE_TONES[grade]}" title="${reasons.join(' ')}">${toSentenceCase(GRADE_WORDS[grade])}</span>`;
}

/** Renders the grade with everything that speaks against the result. */
export function renderAssessment({ grade, reasons }: Assessment): Markup {
  if (reasons.length === 0) return markup`<p class="hint">Grade: ${GRADE_WORDS[grade]}</p>`;
  return markup`<p class="hint">Grade: ${GRADE_WORDS[grade]}. ${reasons.join(' ')}</p>`;
}
