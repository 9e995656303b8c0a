/** SPR over one surface: cycles with regeneration between, or all doses in one cycle. Data are referenced already. */
import type { Design } from './design.ts';
import { wrapRun } from './bli.ts';
import type { Dice } from './dice.ts';
import { addNoise, computeMovingAverage } from './sensor.ts';
import { EMPTY, readMass, computeBath, type Chemistry, type SurfaceState } from './surface.ts';
import type { SimulatedRun } from './truth.ts';
import { writeTraces, writeXy, type Trace, type TraceStep } from './writers.ts';

export interface SprFaults {
  readonly isSingleCycle?: boolean;
  readonly chemistry?: Partial<Chemistry>;
  /** Step during an injection, in RU: the same at every dose, and what comes with the highest dose. */
  readonly mismatch?: { readonly constant: number; readonly atTop: number; readonly jitter: number };
  /** Share of the complex that regeneration leaves on the surface. */
  readonly leftOver?: number;
  /** Sites lost at each regeneration. */
  readonly lossPerCycle?: number;
  /** Recovery of the surface from the regeneration buffer at the start of each cycle. */
  readonly recovery?: { readonly height: number; readonly tauS: number };
  /** Spikes of up to three seconds at the valves, of this height. */
  readonly spikes?: number;
  /** Bubbles of some seconds anywhere within an injection. */
  readonly bubbles?: number;
  readonly stick?: { readonly share: number };
  readonly trueDosesM?: readonly number[];
  readonly statedDosesM?: readonly number[];
  readonly driftPerS?: number;
  readonly wavePerC?: { readonly height: number; readonly periodS: number };
  readonly smoothing?: number;
  readonly decimals?: number;
  readonly isXy?: boolean;
  readonly lateS?: number;
}

interface Piece {
  readonly step: TraceStep['step'];
  readonly states: readonly SurfaceState[];
  /** Dose that flows, in M. */
  readonly flowM: number;
}

function listDoses(design: Design, faults: SprFaults) {
  const truth = faults.trueDosesM ?? design.dosesM;
  const stated = faults.statedDosesM ?? truth;
  return truth.map((trueM, at) => ({ trueM, statedM: stated[at] ?? trueM }));
}

function readPieces(
  dice: Dice,
  design: Design,
  faults: SprFaults,
  pieces: readonly Piece[],
  capacity: number,
  startS: number,
): TraceStep[] {
  const { hz, dosesM } = design;
  const topM = Math.max(...dosesM);
  const lag = faults.chemistry?.dispersionS;
  let [flow, seconds] = [0, 0];
  const mismatch = faults.mismatch ?? { constant: 0, atTop: 0, jitter: 0 };
  const constant = mismatch.constant + dice.normal(mismatch.jitter);
  const signals: number[] = [];
  for (const { states, flowM, step } of pieces) {
    const target = step === 'association' ? constant + mismatch.atTop * (flowM / topM) : 0;
    const spike = dice.normal(faults.spikes ?? 0);
    const spikeS = dice.uniform(0.3, 3);
    const bubbleAt = dice.uniform(0, states.length / hz);
    const hasBubble = faults.bubbles !== undefined && step === 'association' && dice.chance(0.3);
    states.forEach((state, index) => {
      const inS = index / hz;
      flow = lag === undefined ? target : flow + (target - flow) * (1 - Math.exp(-1 / (hz * lag)));
      let signal = capacity * (design.isBinder ? readMass(state) : 0) + flow;
      if (faults.stick !== undefined && step === 'association')
        signal += design.rmax * faults.stick.share * (flowM / topM) * (1 - Math.exp(-inS / 40));
      if (faults.recovery !== undefined)
        signal += faults.recovery.height * Math.exp(-seconds / faults.recovery.tauS);
      if (step !== 'baseline' && inS < spikeS) signal += spike * Math.exp(-inS);
      if (hasBubble && inS > bubbleAt && inS < bubbleAt + 6) signal -= faults.bubbles ?? 0;
      const wave = faults.wavePerC;
      if (wave !== undefined)
        signal += wave.height * Math.sin((2 * Math.PI * (startS + seconds)) / wave.periodS);
      signals.push(signal + (faults.driftPerS ?? 0) * seconds);
      seconds += 1 / hz;
    });
  }
  let seen = addNoise(dice, signals, design.noise, hz);
  if (faults.smoothing !== undefined) seen = computeMovingAverage(seen, faults.smoothing);
  const steps: TraceStep[] = [];
  let begin = 0;
  const shift = Math.round((faults.lateS ?? 0) * hz);
  pieces.forEach(({ step, states }, at) => {
    let end = begin + states.length;
    if (step === 'association') end -= shift;
    if (at === pieces.length - 1) end = seen.length;
    else if (step === 'dissociation') end -= shift;
    const part = seen.slice(begin, end);
    steps.push({ step, signals: part, timesS: part.map((_, index) => (begin + index) / hz) });
    begin = end;
  });
  return steps;
}

function runCycles(dice: Dice, design: Design, faults: SprFaults, chemistry: Chemistry): Trace[] {
  const { hz, baselineS, associationS, dissociationS } = design;
  let left = EMPTY;
  let capacity = design.rmax;
  let startS = 0;
  const cycles = [{ trueM: 0, statedM: 0 }, ...listDoses(design, faults)];
  return cycles.map(({ trueM, statedM }, at) => {
    const before = computeBath(chemistry, left, { seconds: baselineS, concentrationM: 0 }, hz, startS);
    const bound = computeBath(
      chemistry,
      before.end,
      { seconds: associationS, concentrationM: trueM },
      hz,
      startS,
    );
    const gone = computeBath(
      chemistry,
      bound.end,
      { seconds: dissociationS, concentrationM: 0 },
      hz,
      startS + associationS,
    );
    const pieces: Piece[] = [
      { step: 'baseline', states: before.samples, flowM: 0 },
      { step: 'association', states: bound.samples, flowM: trueM },
      { step: 'dissociation', states: gone.samples, flowM: 0 },
    ];
    const steps = readPieces(dice, design, faults, pieces, capacity, startS);
    const share = faults.leftOver ?? 0;
    left = [0, gone.end[1] * share, gone.end[2] * share, gone.end[3] * share, gone.end[4] * share];
    capacity *= 1 - (faults.lossPerCycle ?? 0);
    startS += baselineS + associationS + dissociationS + 120;
    return {
      well: `A${at + 1}`,
      role: 'sample',
      sample: 'design-1',
      replicate: 1,
      concentrationsM: [statedM],
      steps,
    };
  });
}

function runSingleCycle(dice: Dice, design: Design, faults: SprFaults, chemistry: Chemistry): Trace[] {
  const { hz, baselineS, associationS, dissociationS } = design;
  const build = (doses: readonly number[]) => {
    const pieces: Piece[] = [];
    const first = computeBath(chemistry, EMPTY, { seconds: baselineS, concentrationM: 0 }, hz);
    pieces.push({ step: 'baseline', states: first.samples, flowM: 0 });
    let [state, seconds] = [first.end, baselineS];
    doses.forEach((dose, at) => {
      const bound = computeBath(
        chemistry,
        state,
        { seconds: associationS, concentrationM: dose },
        hz,
        seconds,
      );
      const wait = at === doses.length - 1 ? dissociationS : 60;
      const gone = computeBath(
        chemistry,
        bound.end,
        { seconds: wait, concentrationM: 0 },
        hz,
        seconds + associationS,
      );
      pieces.push({ step: 'association', states: bound.samples, flowM: dose });
      pieces.push({ step: 'dissociation', states: gone.samples, flowM: 0 });
      state = gone.end;
      seconds += associationS + wait;
    });
    return readPieces(dice, design, faults, pieces, design.rmax, 0);
  };
  const doses = listDoses(design, faults);
  const name = { role: 'sample', sample: 'design-1', replicate: 1 } as const;
  return [
    { ...name, well: 'A1', concentrationsM: doses.map(() => 0), steps: build(doses.map(() => 0)) },
    {
      ...name,
      well: 'A2',
      concentrationsM: doses.map(({ statedM }) => statedM),
      steps: build(doses.map(({ trueM }) => trueM)),
    },
  ];
}

export function runSpr(
  dice: Dice,
  design: Design,
  faults: SprFaults,
  story: Record<string, unknown>,
): SimulatedRun {
  const chemistry: Chemistry = {
    konPerMS: design.konPerMS,
    koffPerS: design.koffPerS,
    dispersionS: 0.3,
    ...faults.chemistry,
  };
  const shown = { ...faults, chemistry };
  const isSingle = faults.isSingleCycle === true;
  const traces = (isSingle ? runSingleCycle : runCycles)(dice, design, shown, chemistry);
  const decimals = faults.decimals ?? design.decimals;
  const files =
    faults.isXy === true ? writeXy('design-1', traces, decimals) : writeTraces('spr', traces, decimals);
  const settings = faults.isXy === true ? { settings: { associationS: design.associationS } } : {};
  return wrapRun(design, files, settings, { ...design, ...story });
}
