/** The grade of a result as a chip, and its reasons. */
import type { Assessment, Grade } from '../assessment.ts';
import { GRADE_WORDS, SHORT_GRADE_WORDS, writeReasons } from '../words/grades.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { toSentenceCase } from '#ui/words.ts';

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
