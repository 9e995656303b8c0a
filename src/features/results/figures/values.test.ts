import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTexts } from '#testing/scene-texts.ts';
import { getSeriesColor } from '#documents/colors.ts';
import { requireShownAssay } from '#assays/shown.ts';
import { drawPlates } from './plates.ts';
import { drawValuePlot } from './values.ts';

test('replicates beside a bar: equal values → each has a place of its own within the plot', () => {
  for (const relation of ['=', '<'])
    for (const count of [1, 2, 4, 6]) {
      const box = { left: 10, top: 10, width: 110, height: 200 };
      const draw = (dots: number) =>
        drawValuePlot({
          box,
          name: 'Yield',
          quantity: undefined,
          dots: Array.from({ length: dots }, () => ({ value: 70, relation })),
          color: getSeriesColor(2, 3),
        }).map((mark) => JSON.stringify(mark));
      const without = new Set(draw(1).slice(0, -1));
      const own = draw(count).filter((mark) => !without.has(mark));
      assert.equal(new Set(own).size, count, `${count} of ${relation}`);
    }
});

test('colors of plates: replicates within a few percent → their scale spans a factor of ten; ends far apart → the values', () => {
  const draw = (yields: readonly number[]): string => {
    const replicates = yields.map((value, index) => ({
      replicate: index + 1,
      plate: 'P1',
      well: `A0${index + 1}`,
      yield_ng_per_ul: value,
      yield_ng_per_ul_relation: '=',
    }));
    const results = [
      {
        sequence_name: 'design-1',
        is_control: false,
        outcome: 'measured',
        place: 1,
        quantities: {},
        summary: { replicates },
      },
    ];
    const plates = drawPlates(
      { code: 'DEMO-001-001', experiment_type: 'expression', results, total: 1 },
      requireShownAssay('expression'),
    );
    return plates === undefined ? '' : listTexts(plates).join(' ');
  };
  assert.match(draw([70.6, 71.5]), /Yield \(ng\/µL\) 22 225 /);
  assert.match(draw([2, 400]), /Yield \(ng\/µL\) 10 100 /);
});
