/** Replicate wells of one design: spread of Tm and of light between wells, noise, and the layout of the file. */
import type { SimulatedRun, Truth } from './family.ts';
import { createMeltRun, type MeltLayout, type MeltWell } from './melt-run.ts';
import type { Scan } from './melt-signals.ts';
import { createNoise, type Random } from './random.ts';

export const DESIGN = 'design-1';

export interface DrawnWell {
  readonly scan: Scan;
  readonly channel: string;
  readonly signal: readonly number[];
  /** Standard deviation of the noise at each point, in the unit of the signal. */
  readonly noiseSd: number | readonly number[];
  /** What the detector does to the noisy signal. */
  readonly detect?: (value: number) => number;
}

export interface WellSpread {
  /** Difference of this well's Tm from the truth, in °C. */
  readonly shiftC: number;
  /** Light of this well relative to the others. */
  readonly gain: number;
}

/** A table without the name of a channel says nothing about a signal that falls, so only rising ones are written so. */
export interface WellOptions {
  readonly mayBeTable: boolean;
}

const TABLE_SHARE = 0.25;

/** Draws one to three wells of one design. */
export function drawWells(
  random: Random,
  { mayBeTable }: WellOptions,
  draw: (spread: WellSpread) => DrawnWell,
): { readonly wells: MeltWell[]; readonly layout: MeltLayout } {
  const count = random.pick([1, 2, 2, 2, 3]);
  // A single well cannot know how wells differ, so its own Tm is the truth.
  const spreadC = count === 1 ? 0 : random.uniform(0, 0.15);
  const correlation = random.uniform(0, 0.4);
  const layout = mayBeTable && random.chance(TABLE_SHARE) ? 'table' : 'own';
  const wells = Array.from({ length: count }, (_, i): MeltWell => {
    const { scan, channel, signal, noiseSd, detect } = draw({
      shiftC: spreadC * random.normal(),
      gain: Math.exp(0.05 * random.normal()),
    });
    const next = createNoise(random, correlation);
    const noisy = signal.map((value, k) => {
      const sd = typeof noiseSd === 'number' ? noiseSd : (noiseSd[k] ?? 0);
      const read = value + sd * next();
      return detect === undefined ? read : detect(read);
    });
    const { temperaturesC } = scan;
    return {
      well: `A${i + 1}`,
      sample: DESIGN,
      replicate: i + 1,
      temperaturesC,
      channels: [{ channel, signal: noisy }],
    };
  });
  return { wells, layout };
}

export interface MeltTruth {
  /** Null: there is no transition. */
  readonly tmC: number | null;
  readonly toleranceC: number;
  readonly all?: readonly number[];
  readonly facts: Truth['facts'];
}

export function createMeltSimulation(
  { wells, layout }: { readonly wells: readonly MeltWell[]; readonly layout: MeltLayout },
  { tmC, toleranceC, all, facts }: MeltTruth,
): SimulatedRun {
  const channel = wells[0]?.channels[0]?.channel ?? '';
  return {
    run: createMeltRun(wells, layout),
    truth: {
      sequence: DESIGN,
      quantity: 'tm',
      value: tmC,
      tolerance: { kind: 'absolute', by: toleranceC },
      ...(all === undefined ? {} : { all }),
      facts: { ...facts, tm_c: tmC, channel, layout, wells: wells.length },
    },
  };
}

/** Noise for a step of this height. */
export function drawSignalToNoise(random: Random): number {
  return random.logUniform(30, 600);
}
