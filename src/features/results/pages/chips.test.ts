/** What the chip of a result says beside its outcome. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item } from '#assays/cells.ts';
import { renderResultChip, renderAssessment, renderGradeChip } from './chips.ts';

const render = (members: object): string =>
  renderResultChip(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the chip reads
    {
      experiment_type: 'affinity',
      outcome: 'measured',
      qc: { pass: true, flags: [] },
      rows: [],
      details: null,
      assessment: { grade: 'solid', reasons: [] },
      ...members,
    } as unknown as Item,
  ).text;
const createKd = (relation: string) => ({
  quantities: { kd: { value: 2e-8, unit: 'M', relation, ci95_low: null, ci95_high: null, n: 1 } },
});
const failed = { qc: { pass: true, flags: ['CONTROL_FAILED'] }, quantities: {} };

test('CONTROL_FAILED: a binder of such a plate → its chip warns and says so; of a good plate → it does not', () => {
  const binder = render({ ...failed, experiment_type: 'screening' });
  assert.match(binder, /chip warn/);
  assert.match(binder, /Binder, control failed/);
  const good = render({ ...failed, experiment_type: 'screening', qc: { pass: true, flags: ['SPIKE'] } });
  assert.match(good, /chip good/);
  assert.doesNotMatch(good, /control failed/);
});

test('CONTROL_FAILED: an inconclusive result → its chip stays, because it states nothing', () => {
  assert.doesNotMatch(render({ ...failed, outcome: 'inconclusive' }), /control failed/);
});

test('relation ~: an estimated KD → the chip says estimate; a measured one → measured', () => {
  assert.match(render(createKd('~')), /chip warn">Estimate/);
  assert.match(render(createKd('=')), /chip good">Measured/);
});

test('relation < or >: a limit → the chip says limit, and does not look measured', () => {
  for (const relation of ['<', '>']) {
    assert.match(render(createKd(relation)), />Limit</);
    assert.doesNotMatch(render(createKd(relation)), /Measured|chip good/);
  }
});

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
