/** Simulates the sets of a row and analyzes them. */
import { analyzeAffinitySets } from '#assays/affinity/engine/affinity.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import { measureCurves } from '#testing/analysis/measured-curves.ts';
import { createNoisyPlate } from '#testing/analysis/noisy-plate.ts';
import { createSingleCycleTrace, createTraceSet } from '#testing/analysis/single-cycle.ts';
import { createUniforms } from '#testing/analysis/synthetic.ts';
import type { Kinetics } from '#testing/analysis/synthetic.ts';
import type { CurveRow, Row, TraceRow } from './rows.ts';

export interface SimulatedSet {
  truth: Kinetics;
  found: Record<'kd' | 'kon' | 'koff', Quantity | null>;
  /** Codes of its flags. */
  flags: string[];
}

/** Few, because the samples of a plate share the noise of its references. */
const SAMPLES_PER_PLATE = 8;

/** The sets of one row, one after the other, always the same. */
export function* simulateRow(row: Row, sets: number): Generator<SimulatedSet> {
  if (row.kind === 'traces') yield* simulateTraces(row, sets);
  else if (row.kind === 'curves') yield* simulateCurves(row, sets);
  else yield* simulateSingleCycles(sets);
}

function* simulateTraces(row: TraceRow, sets: number): Generator<SimulatedSet> {
  const uniform = createUniforms(4_242);
  for (let from = 0; from < sets; from += SAMPLES_PER_PLATE) {
    const samples = Array.from({ length: Math.min(SAMPLES_PER_PLATE, sets - from) }, (_, i) => {
      return { sample: `s${i}`, ...row.design(uniform) };
    });
    const plate = createNoisyPlate({ ...row.plate, samples, seed: 900_000 + from });
    const unit = row.technique === 'spr' ? 'RU' : 'nm';
    const set = { ...plate, technique: row.technique, signalUnit: unit } as const;
    for (const found of analyzeAffinitySets([set], { ...row.settings, curves: false }).sequences) {
      const truth = samples.find(({ sample }) => sample === found.sample);
      if (truth === undefined) throw new Error(`There is no sample ${found.sample}.`);
      const flags = [...found.flags, ...found.replicates.flatMap((each) => each.flags)];
      yield { truth, found, flags: flags.map(({ code }) => code) };
    }
  }
}

function* simulateCurves({ noise, settings }: CurveRow, sets: number): Generator<SimulatedSet> {
  for (let seed = 1; seed <= sets; seed += 1) {
    const uniform = createUniforms(seed + 77_000);
    const truth = { kon: 10 ** (5 + uniform()), koff: 10 ** (-3 + uniform()) };
    const found = measureCurves(truth, seed, noise, settings);
    yield { truth, found, flags: found.flags.map(({ code }) => code) };
  }
}

function* simulateSingleCycles(sets: number): Generator<SimulatedSet> {
  for (let seed = 1; seed <= sets; seed += 1) {
    const uniform = createUniforms(seed + 61_000);
    const truth = { kon: 10 ** (5 + 0.7 * uniform()), koff: 10 ** (-3 + 0.7 * uniform()) };
    const trace = createSingleCycleTrace({ kinetics: truth, seed, stated: true });
    const [found] = analyzeAffinitySets([createTraceSet(trace)]).sequences;
    const flags = found.replicates.flatMap((each) => each.flags);
    yield { truth, found, flags: flags.map(({ code }) => code) };
  }
}
