import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StepBuilder } from '#analysis/curves/trace.ts';
import type { StepName, TraceStep } from '#analysis/curves/trace.ts';
import { trimSwitches } from './align.ts';

function createStep(name: StepName, fromS: number, toS: number): TraceStep {
  const builder = new StepBuilder(name, fromS);
  for (let t = fromS; t < toS; t += 1) builder.push(t, t);
  return builder.build();
}

const SPR = { trimAssociationS: 2, trimDissociationS: 2, trimBeforeS: 1 };
const NONE = { trimAssociationS: 0, trimDissociationS: 0, trimBeforeS: 0 };
const getEnds = ({ timeS }: TraceStep): (number | undefined)[] => [timeS.at(0), timeS.at(-1)];

test('valves: both ends of an injection → two seconds after and one before are left out, the free ends are kept', () => {
  const steps = [
    createStep('baseline', 0, 20),
    createStep('association', 20, 40),
    createStep('dissociation', 40, 80),
  ];
  assert.deepEqual(trimSwitches(steps, SPR).map(getEnds), [
    [0, 19],
    [22, 39],
    [42, 79],
  ]);
  assert.deepEqual(trimSwitches(steps, NONE), steps);
});

test('valves: injections of a single cycle → each of them, and the buffer between them', () => {
  const steps = [
    createStep('association', 0, 20),
    createStep('dissociation', 20, 40),
    createStep('association', 40, 60),
    createStep('dissociation', 60, 80),
  ];
  assert.deepEqual(trimSwitches(steps, { ...SPR, trimBeforeS: 1.5 }).map(getEnds), [
    [2, 18],
    [22, 38],
    [42, 58],
    [62, 79],
  ]);
});

test('valves: a step that would keep fewer than three samples → kept whole', () => {
  const steps = [createStep('association', 0, 4), createStep('dissociation', 4, 40)];
  assert.deepEqual(trimSwitches(steps, SPR).map(getEnds), [
    [0, 3],
    [6, 39],
  ]);
});

test('valves: loading and regeneration → whole', () => {
  const steps = [createStep('loading', 0, 20), createStep('regeneration', 20, 40)];
  assert.deepEqual(trimSwitches(steps, SPR), steps);
});
