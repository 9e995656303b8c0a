import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeWithoutTm, describeWithoutTmBriefly, isTmMissing, writeWithoutTm } from './without-tm.ts';

const createRow = (reason: string | null, flags: readonly string[] = []) => ({
  tm: reason === null ? 62 : null,
  no_transition_reason: reason,
  replicates: [{ replicate: 1, flags }],
});

test('no_transition_reason: nothing seen → no transition; a transition that cannot be read → no Tm, and why', () => {
  const flat = createRow('no_inflection');
  assert.equal(describeWithoutTm(flat), 'no transition');
  assert.equal(writeWithoutTm(flat), 'no transition within the range');
  assert.equal(isTmMissing(flat), false);
  const cut = createRow('at_range_end');
  assert.equal(describeWithoutTm(cut), 'no Tm');
  assert.equal(describeWithoutTmBriefly(cut), 'no Tm: at range end');
  assert.match(
    writeWithoutTm(cut),
    /^no Tm: the range of temperatures does not contain the whole transition$/,
  );
  assert.equal(isTmMissing(cut), true);
});

test('SATURATED: a replicate without Tm was saturated → the saturation is named; with a Tm → nothing', () => {
  const clipped = createRow('no_inflection', ['SATURATED']);
  assert.equal(describeWithoutTm(clipped), 'no Tm: saturated');
  assert.equal(describeWithoutTmBriefly(clipped), 'no Tm: saturated');
  assert.equal(describeWithoutTm(createRow(null, ['SATURATED'])), undefined);
});
