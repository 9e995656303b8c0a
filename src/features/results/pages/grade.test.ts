import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderAssessment, renderGradeChip } from './grade.ts';

test('assessment: reasons that name flags by their codes → the page and the chip name them in words', () => {
  const assessment = {
    grade: 'indicative' as const,
    reasons: ['The value is an estimate.', 'Warnings stand against it: HETEROGENEOUS_LIGAND, SPIKE.'],
  };
  for (const rendered of [renderAssessment(assessment), renderGradeChip(assessment)])
    assert.match(
      rendered.text,
      /The value is an estimate\. Warnings stand against it: heterogeneous ligand, spike\./,
    );
});
