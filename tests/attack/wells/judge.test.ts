import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JudgedResult, Truth } from './family.ts';
import { decideOutcomes } from './judge.ts';

const truth: Truth = {
  sequence: 'design-1',
  quantity: 'tm',
  value: 60,
  tolerance: { kind: 'absolute', by: 1 },
  facts: {},
};

interface Told {
  readonly value: number;
  readonly relation?: string;
  readonly low?: number | null;
  readonly high?: number | null;
  readonly flags?: readonly string[];
  readonly tmAllC?: readonly number[];
  /** Tm, relation, and half of the interval. */
  readonly transitions?: readonly (readonly [number, string, number | null])[];
}

function tell({
  value,
  relation = '=',
  low = null,
  high = null,
  flags = [],
  tmAllC = [],
  transitions = [],
}: Told): JudgedResult {
  const tm = { value, unit: '°C', relation, ci95_low: low, ci95_high: high, log10_sd: null, n: 2 };
  const found = {
    outcome: 'measured',
    summary: [
      {
        tm_all: tmAllC,
        transitions: transitions.map(([celsius, sign, half]) => ({
          tm: celsius,
          tm_relation: sign,
          tm_interval:
            half === null ? null : { value: celsius, ci_low: celsius - half, ci_high: celsius + half },
        })),
      },
    ],
    record: { quantities: { tm }, qc: { flags } },
  };
  return { results: new Map([['design-1', found]]) };
}

describe('the judge of wells', () => {
  it('value: right and within its interval → kept, no miss', () => {
    const judged = decideOutcomes(tell({ value: 60.2, low: 59.8, high: 60.6 }), truth);
    assert.equal(judged.kept, true);
    assert.equal(judged.interval_miss, false);
    assert.equal(judged.silent_miss, false);
  });

  it('interval: beside the truth → a miss, though close enough to be kept', () => {
    const judged = decideOutcomes(tell({ value: 60.5, low: 60.3, high: 60.7 }), truth);
    assert.equal(judged.interval_miss, true);
    assert.equal(judged.kept, true);
  });

  it('flags: far off without one → silent, with one → told', () => {
    const off = { value: 62, low: 50, high: 70 };
    assert.equal(decideOutcomes(tell(off), truth).silent_miss, true);
    const judged = decideOutcomes(tell({ ...off, flags: ['TM_UNCERTAIN'] }), truth);
    assert.equal(judged.silent_miss, false);
    assert.equal(judged.kept, false);
  });

  it('limit: the truth beyond it → right, on its other side → wrong', () => {
    assert.equal(decideOutcomes(tell({ value: 50, relation: '>' }), truth).wrong_limit, false);
    assert.equal(decideOutcomes(tell({ value: 80, relation: '>' }), truth).wrong_limit, true);
    assert.equal(decideOutcomes(tell({ value: 40, relation: '<' }), truth).wrong_limit, true);
  });

  it('firmness: a firm value of nothing → false, an estimate → not', () => {
    const nothing = { ...truth, value: null };
    assert.equal(decideOutcomes(tell({ value: 60 }), nothing).false_firm, true);
    assert.equal(decideOutcomes(tell({ value: 60, relation: '~' }), nothing).false_firm, false);
  });

  it('transitions: all of them and no other → found', () => {
    const three = { ...truth, all: [50, 62, 74] };
    const found = (tmAllC: readonly number[]) => decideOutcomes(tell({ value: 60, tmAllC }), three).all_found;
    assert.equal(found([50.4, 61.8, 74.2]), true);
    assert.equal(found([50.4, 74.2]), false);
    assert.equal(found([50.4, 61.8, 74.2, 80]), false);
  });

  it('later transitions: stated as measured → a miss where the interval lacks the nearest one or nothing is there', () => {
    const two = { ...truth, all: [60, 72] };
    const judge = (...later: (readonly [number, string, number | null])[]) => {
      const judged = decideOutcomes(tell({ value: 60, transitions: [[60, '=', 1], ...later] }), two);
      return [judged.second_interval_miss, judged.third_interval_miss];
    };
    assert.deepEqual(judge([72.5, '=', 1]), [false, undefined]);
    assert.deepEqual(judge([74, '=', 1]), [true, undefined]);
    assert.deepEqual(judge([72, '=', null]), [true, undefined]);
    assert.deepEqual(judge([74, '~', 1]), [undefined, undefined]);
    assert.deepEqual(judge([72, '=', 1], [80, '=', 30]), [false, true]);
    assert.deepEqual(judge(), [undefined, undefined]);
  });

  it('refusal: an error of the service → refused, never silent', () => {
    assert.deepEqual(decideOutcomes(new Error('no data'), truth), {
      refused: true,
      silent_miss: false,
      kept: false,
    });
  });
});
