/** What melting curves of real capillaries and wells show. */
import type { Dice } from './dice.ts';
import type { Family } from './families-bli.ts';
import { findHalfC, findUnfolded, computeAggregatingMelt, type Domain } from './melting.ts';
import type { SimulatedRun, Subject } from './truth.ts';
import { writeMelts, type MeltWell } from './writers.ts';

interface Optics {
  /** Counts of the native protein at 25 °C. */
  readonly counts: number;
  /** Loss of counts per °C, and how it bends. */
  readonly quench: number;
  readonly bend: number;
  /** How much more 350 nm bends than 330 nm does. */
  readonly redBend: number;
  /** Light that unfolding takes away. */
  readonly dimming: number;
  /** Relative noise of a reading. */
  readonly noise: number;
  /** Change of the ratio on unfolding. */
  readonly shift: number;
}

function drawDomain(dice: Dice, lowC = 42, highC = 78): Domain {
  return {
    tmC: dice.uniform(lowC, highC),
    enthalpyKj: dice.uniform(250, 650),
    capacityKj: dice.uniform(2, 10),
  };
}

function drawOptics(dice: Dice): Optics {
  return {
    counts: dice.logUniform(2000, 20_000),
    quench: dice.uniform(0.004, 0.012),
    bend: dice.uniform(-2e-5, 2e-5),
    redBend: dice.normal(2e-6),
    dimming: 0,
    noise: dice.logUniform(0.0005, 0.003),
    shift: dice.sign() * dice.uniform(0.08, 0.4),
  };
}

function listTemperatures(dice: Dice): number[] {
  const step = dice.pick([0.1, 0.2, 0.5, 0.5]);
  const endC = dice.pick([90, 95]);
  const startC = dice.pick([20, 25]);
  return Array.from({ length: Math.floor((endC - startC) / step) + 1 }, (_, index) => startC + index * step);
}

/**
 * Counts at 330 and 350 nm and their ratio. The ratio is linear in the unfolded fraction unless unfolding also dims
 * the protein: then the brighter state weighs more.
 */
function readOptics(
  dice: Dice,
  optics: Optics,
  temperaturesC: readonly number[],
  unfolded: readonly number[],
) {
  const { counts, quench, bend, redBend, noise, shift, dimming } = optics;
  const tilt = dice.normal(0.0006);
  const f330 = temperaturesC.map((celsius, index) => {
    const warm = celsius - 25;
    const light = Math.exp(-quench * warm + bend * warm ** 2);
    return counts * light * (1 - dimming * (unfolded[index] ?? 0)) * (1 + dice.normal(noise));
  });
  const f350 = temperaturesC.map((celsius, index) => {
    const warm = celsius - 25;
    const light = Math.exp(-quench * warm + (bend + redBend) * warm ** 2);
    const part = unfolded[index] ?? 0;
    const native = 0.8 + tilt * warm;
    const spectrum = native * (1 - part) + (native + shift) * (1 - dimming) * part;
    return counts * light * spectrum * (1 + dice.normal(noise));
  });
  return { '330nm': f330, '350nm': f350, ratio: f350.map((value, index) => value / (f330[index] ?? 1)) };
}

type Channels = Record<string, number[]>;

function wrapMelts(
  wells: readonly MeltWell[],
  subjects: readonly Subject[],
  story: Record<string, unknown>,
): SimulatedRun {
  const sequences = { 'design-1': 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQ' };
  return {
    run: {
      experimentType: 'thermostability',
      method: null,
      files: writeMelts(wells, 5),
      sequences,
      orderedNm: null,
    },
    subjects,
    story,
  };
}

/** Two or three capillaries of one protein, built one by one. */
function runMelt(
  dice: Dice,
  truthC: number | null,
  isSound: boolean,
  build: (temperaturesC: readonly number[]) => Channels,
  story: Record<string, unknown>,
  spreadC = 0,
): SimulatedRun {
  const temperaturesC = listTemperatures(dice);
  const wells = Array.from({ length: dice.pick([1, 2, 3]) }, (_, at) => ({
    well: `A${at + 1}`,
    sample: 'design-1',
    role: 'sample',
    replicate: at + 1,
    temperaturesC,
    channels: build(temperaturesC),
  }));
  const truth = truthC === null ? null : { low: truthC - spreadC, high: truthC + spreadC };
  return wrapMelts(wells, [{ name: 'design-1', quantity: 'tm', truth, isSound }], { truthC, ...story });
}

function runPlain(
  dice: Dice,
  change: (optics: Optics) => Optics = (optics) => optics,
  isSound = true,
): SimulatedRun {
  const domain = drawDomain(dice);
  const optics = change(drawOptics(dice));
  return runMelt(
    dice,
    domain.tmC,
    isSound,
    (temperaturesC) =>
      readOptics(
        dice,
        optics,
        temperaturesC,
        temperaturesC.map((celsius) => findUnfolded(domain, celsius)),
      ),
    { domain, optics },
  );
}

/** Domains that unfold independently, each so far above the one before. */
function runDomains(dice: Dice, domains: readonly Domain[], parts: readonly number[]): SimulatedRun {
  const [first] = domains;
  if (first === undefined) throw new RangeError('a protein has at least one domain');
  const optics = drawOptics(dice);
  const made = runMelt(
    dice,
    first.tmC,
    false,
    (temperaturesC) =>
      readOptics(
        dice,
        optics,
        temperaturesC,
        temperaturesC.map((celsius) =>
          domains.reduce((sum, domain, at) => sum + (parts[at] ?? 0) * findUnfolded(domain, celsius), 0),
        ),
      ),
    { domains, parts },
  );
  const transitionsC = domains.map(({ tmC }) => tmC);
  return { ...made, subjects: made.subjects.map((subject) => ({ ...subject, transitionsC })) };
}

function runTwoDomains(dice: Dice, nearestC: number, farthestC: number): SimulatedRun {
  const first = drawDomain(dice, 45, 68);
  const second = { ...drawDomain(dice), tmC: first.tmC + dice.uniform(nearestC, farthestC) };
  const share = dice.uniform(0.3, 0.7);
  return runDomains(dice, [first, second], [share, 1 - share]);
}

function runThreeDomains(dice: Dice): SimulatedRun {
  const first = drawDomain(dice, 42, 50);
  const second = { ...drawDomain(dice), tmC: first.tmC + dice.uniform(10, 15) };
  const third = { ...drawDomain(dice), tmC: second.tmC + dice.uniform(10, 15) };
  const parts = [dice.uniform(0.6, 1.4), dice.uniform(0.6, 1.4), dice.uniform(0.6, 1.4)];
  const whole = parts.reduce((sum, part) => sum + part, 0);
  return runDomains(
    dice,
    [first, second, third],
    parts.map((part) => part / whole),
  );
}

/** Aggregates scatter light into both channels and take soluble protein away. The truth is the half of what unfolds. */
function runAggregation(dice: Dice, scanCPerMin: number, scatter: number): SimulatedRun {
  const domain = drawDomain(dice);
  const rate = dice.logUniform(1e-4, 3e-2);
  const optics = drawOptics(dice);
  const fine = Array.from({ length: 3501 }, (_, index) => 20 + index * 0.02);
  const exact = computeAggregatingMelt(domain, fine, rate, 250, scanCPerMin);
  const truthC = findHalfC(fine, exact.unfolded);
  return runMelt(
    dice,
    truthC,
    false,
    (temperaturesC) => {
      const { unfolded, aggregated } = computeAggregatingMelt(domain, temperaturesC, rate, 250, scanCPerMin);
      const seen = readOptics(dice, optics, temperaturesC, unfolded);
      const more = seen['330nm'].map(
        (value, index) => value + scatter * optics.counts * (aggregated[index] ?? 0),
      );
      const also = seen['350nm'].map(
        (value, index) => value + scatter * 0.8 * optics.counts * (aggregated[index] ?? 0),
      );
      const light = aggregated.map((part) => 50 + 4000 * scatter * part + dice.normal(8));
      const ratio = also.map((value, index) => value / (more[index] ?? 1));
      return { '330nm': more, '350nm': also, ratio, scattering: light };
    },
    { domain, rate, scanCPerMin, scatter },
  );
}

function runDye(dice: Dice, detergent: number): SimulatedRun {
  const domain = drawDomain(dice);
  const plateau = dice.logUniform(3000, 40_000);
  const fall = dice.uniform(0.005, 0.03);
  const noise = plateau * dice.logUniform(0.001, 0.01);
  return runMelt(
    dice,
    domain.tmC,
    detergent === 0,
    (temperaturesC) => {
      // Detergent micelles light the dye from the start; above their cloud point that light changes.
      const cloudC = dice.uniform(35, 80);
      const dye = temperaturesC.map((celsius) => {
        const unfolded = findUnfolded(domain, celsius);
        const quench = Math.exp(-fall * Math.max(0, celsius - domain.tmC) * unfolded);
        const micelles =
          (detergent * plateau * (1 - 0.008 * (celsius - 25))) / (1 + Math.exp((celsius - cloudC) / 3));
        return 0.05 * plateau + plateau * unfolded * quench + micelles + dice.normal(noise);
      });
      return { dye };
    },
    { domain, detergent, fall },
  );
}

function runBubbles(dice: Dice): SimulatedRun {
  const domain = drawDomain(dice);
  const optics = drawOptics(dice);
  const kind = dice.pick(['spike', 'step', 'hump']);
  return runMelt(
    dice,
    domain.tmC,
    false,
    (temperaturesC) => {
      const seen = readOptics(
        dice,
        optics,
        temperaturesC,
        temperaturesC.map((celsius) => findUnfolded(domain, celsius)),
      );
      const atC = dice.uniform(30, 88);
      const widthC = dice.uniform(0.3, 6);
      const height = dice.sign() * dice.uniform(0.05, 0.6);
      const change = (value: number, index: number, color: number) => {
        const celsius = temperaturesC[index] ?? 0;
        const step = 1 / (1 + Math.exp(-(celsius - atC) / 0.2));
        const hump = Math.exp(-(((celsius - atC) / widthC) ** 2));
        const shape = kind === 'step' ? step : kind === 'hump' ? hump : hump * (dice.chance(0.5) ? 1 : 0);
        return value * (1 + height * color * shape);
      };
      const low = seen['330nm'].map((value, index) => change(value, index, 1));
      const high = seen['350nm'].map((value, index) => change(value, index, 0.7));
      return { '330nm': low, '350nm': high, ratio: high.map((value, index) => value / (low[index] ?? 1)) };
    },
    { domain, kind },
  );
}

/** A dimer melts higher where it is more concentrated; the capillaries are a dilution series. */
function runDimer(dice: Dice): SimulatedRun {
  const monomerC = dice.uniform(45, 70);
  const enthalpyKj = dice.uniform(350, 700);
  const perDecadeC = dice.uniform(1, 6);
  const optics = drawOptics(dice);
  let well = 0;
  // The client asks for the protein at the ordered concentration; the capillaries span a decade around it.
  return runMelt(
    dice,
    monomerC,
    false,
    (temperaturesC) => {
      const decade = [0, 0.5, -0.5][well % 3] ?? 0;
      well += 1;
      const domain = { tmC: monomerC + perDecadeC * decade, enthalpyKj, capacityKj: 6 };
      const dim = {
        ...optics,
        counts: optics.counts * 10 ** decade,
        noise: optics.noise * 10 ** (-decade / 2),
      };
      return readOptics(
        dice,
        dim,
        temperaturesC,
        temperaturesC.map((celsius) => findUnfolded(domain, celsius)),
      );
    },
    { monomerC, perDecadeC },
    perDecadeC / 2,
  );
}

/** Part of the protein never folded again after an earlier heating: it adds light without a step. */
function runRefolded(dice: Dice): SimulatedRun {
  const domain = drawDomain(dice);
  const lost = dice.uniform(0.1, 0.8);
  const floppyC = dice.uniform(30, 45);
  const optics = drawOptics(dice);
  const floppy = { tmC: floppyC, enthalpyKj: 80, capacityKj: 0 };
  return runMelt(
    dice,
    domain.tmC,
    false,
    (temperaturesC) =>
      readOptics(
        dice,
        optics,
        temperaturesC,
        temperaturesC.map(
          (celsius) => (1 - lost) * findUnfolded(domain, celsius) + lost * findUnfolded(floppy, celsius),
        ),
      ),
    { domain, lost, floppyC },
  );
}

function runUnmelted(dice: Dice): SimulatedRun {
  const optics = drawOptics(dice);
  const redBend = dice.uniform(-5e-5, 5e-5);
  return runMelt(
    dice,
    null,
    false,
    (temperaturesC) =>
      readOptics(
        dice,
        { ...optics, redBend },
        temperaturesC,
        temperaturesC.map(() => 0),
      ),
    { redBend },
  );
}

export const MELT_FAMILIES: Readonly<Record<string, Family>> = {
  'melt-clean': (dice) => runPlain(dice),
  'melt-bent-baselines': (dice) =>
    runPlain(dice, (optics) => ({ ...optics, redBend: dice.sign() * dice.uniform(1e-5, 5e-5) }), false),
  'melt-ratio-weighs': (dice) =>
    runPlain(dice, (optics) => ({ ...optics, dimming: dice.uniform(0.15, 0.6) }), false),
  'melt-dim': (dice) =>
    runPlain(dice, (optics) => ({ ...optics, noise: dice.logUniform(0.01, 0.06) }), false),
  'melt-two-close-domains': (dice) => runTwoDomains(dice, 3, 6),
  'melt-two-domains': (dice) => runTwoDomains(dice, 8, 18),
  'melt-three-domains': runThreeDomains,
  'melt-aggregating': (dice) => runAggregation(dice, 1, dice.uniform(0.1, 1.5)),
  'melt-scan-rate': (dice) => runAggregation(dice, dice.pick([0.3, 1, 3, 7]), 0),
  'melt-bubbles': runBubbles,
  'melt-dimer-dilution': runDimer,
  'melt-refolded': runRefolded,
  'melt-unmelted': runUnmelted,
  'dye-clean': (dice) => runDye(dice, 0),
  'dye-detergent': (dice) => runDye(dice, dice.uniform(0.1, 1.5)),
};
