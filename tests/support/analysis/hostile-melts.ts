/**
 * Melting curves as instruments record them on a bad day, with known truth and random parameters. The physics is
 * written without the models of the analysis: Gibbs–Helmholtz with a heat capacity change, quenching with temperature,
 * aggregation by its rate.
 */
import { createNormals, createUniforms } from './synthetic.ts';

export interface HostileMelt {
  channel: 'ratio' | '350nm' | 'dye';
  temperatureC: Float64Array;
  signal: Float64Array;
  /** Ascending; none where nothing melts within the range. */
  tmsC: number[];
}

/** What a family draws: how the signal of a perfect detector depends on temperature, in units of one step. */
interface Drawn {
  channel: HostileMelt['channel'];
  tmsC: number[];
  signal: (temperatureC: number) => number;
  /** The detector reads nothing above or below. */
  ceiling?: number;
  floor?: number;
  noiseSd: number;
  rho: number;
  stepC: number;
  fromC: number;
  toC: number;
}

type Between = (low: number, high: number) => number;
type Family = (between: Between) => Drawn;

const R_KCAL = 1.987204e-3;
const toKelvin = (celsius: number): number => celsius + 273.15;

/** The unfolded fraction at equilibrium. */
function computeUnfolded(celsius: number, tmC: number, dhKcalPerMol: number, cpKcalPerMolK = 0): number {
  const [t, tm] = [toKelvin(celsius), toKelvin(tmC)];
  const free = dhKcalPerMol * (1 - t / tm) - cpKcalPerMolK * (tm - t + t * Math.log(t / tm));
  return 1 / (1 + Math.exp(free / (R_KCAL * t)));
}

function drawRun(between: Between): Pick<Drawn, 'noiseSd' | 'rho' | 'stepC' | 'fromC' | 'toC'> {
  return {
    noiseSd: 1 / Math.exp(between(Math.log(20), Math.log(500))),
    rho: between(0, 1) < 0.5 ? 0 : between(0.2, 0.7),
    stepC: between(0, 1) < 0.5 ? 0.25 : between(0.1, 0.6),
    fromC: 20,
    toC: 95,
  };
}

/** A two-state step of height 1 with straight baselines; rising or falling. */
function drawStep(between: Between, tmC: number) {
  const dh = between(60, 160);
  const cp = between(0, 1.5);
  const sign = between(0, 1) < 0.7 ? 1 : -1;
  const [folded, unfolded] = [between(-0.006, 0.006), between(-0.006, 0.006)];
  return {
    sign,
    fraction: (t: number): number => computeUnfolded(t, tmC, dh, cp),
    signal: (t: number): number => {
      const f = computeUnfolded(t, tmC, dh, cp);
      return 2 + sign * f + folded * (t - tmC) * (1 - f) + unfolded * (t - tmC) * f;
    },
  };
}

/** Dye that binds unfolded protein, is quenched with temperature, and leaves as the protein aggregates. */
function createDyeSignal(
  fraction: (t: number) => number,
  of: { background: number; quenchPerC: number; ratePerC: number; left: number; fromC: number; toC: number },
): (t: number) => number {
  const STEP = 0.02;
  const n = Math.ceil((of.toC - of.fromC) / STEP) + 1;
  const free = new Float64Array(n);
  let aggregated = 0;
  for (let i = 0; i < n; i += 1) {
    const u = fraction(of.fromC + i * STEP);
    free[i] = u * (1 - (1 - of.left) * aggregated);
    aggregated += STEP * of.ratePerC * u * (1 - aggregated);
  }
  return (t) => {
    const i = Math.max(0, Math.min(n - 1, Math.round((t - of.fromC) / STEP)));
    return (of.background + free[i]) * Math.exp(-of.quenchPerC * (t - of.fromC));
  };
}

function drawDye(between: Between, tmC: number, ratePerC: number): Drawn {
  const run = drawRun(between);
  const dh = between(80, 180);
  const signal = createDyeSignal((t) => computeUnfolded(t, tmC, dh), {
    background: between(0.05, 0.3),
    quenchPerC: between(0.002, 0.008),
    ratePerC,
    left: between(0, 0.3),
    ...run,
  });
  return { ...run, channel: 'dye', tmsC: [tmC], signal };
}

const drawIntrinsic = (between: Between): 'ratio' | '350nm' => (between(0, 1) < 0.5 ? 'ratio' : '350nm');

export const HOSTILE_MELTS = {
  clean: (between) => {
    const tmC = between(40, 80);
    return {
      ...drawRun(between),
      channel: drawIntrinsic(between),
      tmsC: [tmC],
      signal: drawStep(between, tmC).signal,
    };
  },
  noisy: (between) => {
    const tmC = between(42, 75);
    return {
      ...drawRun(between),
      noiseSd: 1 / between(4.5, 8),
      rho: 0,
      stepC: between(0.2, 0.5),
      channel: drawIntrinsic(between),
      tmsC: [tmC],
      signal: drawStep(between, tmC).signal,
    };
  },
  clean_dye: (between) => drawDye(between, between(40, 75), between(0, 0.03)),
  three: (between) => {
    const tmsC = [50, 62, 74].map((each) => each + between(-1, 1));
    const parts = tmsC.map((tmC) => ({ tmC, dh: between(90, 160), height: between(0.7, 1.3) }));
    const slope = between(-0.004, 0.004);
    return {
      ...drawRun(between),
      noiseSd: 1 / 200,
      channel: drawIntrinsic(between),
      tmsC,
      signal: (t) =>
        2 +
        slope * (t - 60) +
        parts.reduce((sum, { tmC, dh, height }) => sum + height * computeUnfolded(t, tmC, dh), 0),
    };
  },
  two: (between) => {
    const low = between(42, 60);
    const tmsC = [low, low + between(10, 20)];
    const parts = tmsC.map((tmC) => ({ tmC, dh: between(90, 160), height: between(0.4, 1.3) }));
    const slope = between(-0.004, 0.004);
    return {
      ...drawRun(between),
      channel: drawIntrinsic(between),
      tmsC,
      signal: (t) =>
        2 +
        slope * (t - 60) +
        parts.reduce((sum, { tmC, dh, height }) => sum + height * computeUnfolded(t, tmC, dh), 0),
    };
  },
  /** Slow waves of the lamp or the temperature control, without a protein that melts. */
  oscillation: (between) => {
    const [period, phase, slope] = [between(4, 40), between(0, 2 * Math.PI), between(-0.01, 0.01)];
    return {
      ...drawRun(between),
      channel: between(0, 1) < 0.3 ? 'dye' : drawIntrinsic(between),
      tmsC: [],
      signal: (t) => 2 + slope * (t - 60) + 0.5 * Math.sin((2 * Math.PI * t) / period + phase),
    };
  },
  /** Dye alone or with a molten protein: a broad rise and fall without a step. */
  dye_hump: (between) => {
    const [center, width, skew] = [between(35, 75), between(8, 22), between(-0.3, 0.3)];
    const [background, slope] = [between(0.1, 1), between(-0.008, 0.002)];
    return {
      ...drawRun(between),
      channel: 'dye',
      tmsC: [],
      signal: (t) => {
        const at = (t - center) / (width * (1 + skew * Math.tanh((t - center) / width)));
        return 1 + background + slope * (t - 20) + Math.exp(-(at ** 2) / 2);
      },
    };
  },
  /** The baseline bends over tens of degrees, as of a molten globule or of quenching. */
  broad_bend: (between) => {
    const [center, width] = [between(30, 85), between(9, 25)];
    const [slope, kind, sign] = [between(-0.01, 0.01), between(0, 1), between(0, 1) < 0.5 ? -1 : 1];
    const bend = (t: number): number => {
      if (kind < 0.4) return 1 / (1 + Math.exp((center - t) / width));
      if (kind < 0.7) return Math.exp(-(t - 20) / (2 * width));
      return ((t - center) / 60) ** 2;
    };
    return {
      ...drawRun(between),
      channel: between(0, 1) < 0.3 ? 'dye' : drawIntrinsic(between),
      tmsC: [],
      signal: (t) => 2 + slope * (t - 60) + sign * bend(t),
    };
  },
  /** The detector is beyond its range until quenching or unfolding brings the signal back. */
  saturated_start: (between) => {
    const tmC = between(45, 75);
    const quench = between(0.004, 0.012);
    const dh = between(60, 160);
    const change = between(-0.5, 0.3);
    const signal = (t: number): number =>
      2 * Math.exp(-quench * (t - 20)) * (1 + change * computeUnfolded(t, tmC, dh));
    return {
      ...drawRun(between),
      noiseSd: 1 / Math.exp(between(Math.log(50), Math.log(500))),
      channel: '350nm',
      tmsC: [tmC],
      signal,
      ceiling: signal(between(30, tmC + 3)),
    };
  },
  clipped_top: (between) => {
    const tmC = between(42, 75);
    const { signal, sign } = drawStep(between, tmC);
    const at = 2 + sign * between(0.15, 0.95);
    return {
      ...drawRun(between),
      channel: '350nm',
      tmsC: [tmC],
      signal,
      ...(sign > 0 ? { ceiling: at } : { floor: at }),
    };
  },
  clipped_start: (between) => {
    const tmC = between(42, 75);
    const { signal, sign } = drawStep(between, tmC);
    const at = 2 + sign * between(0.05, 0.85);
    return {
      ...drawRun(between),
      channel: '350nm',
      tmsC: [tmC],
      signal,
      ...(sign > 0 ? { floor: at } : { ceiling: at }),
    };
  },
  clipped_dye: (between) => {
    const drawn = drawDye(between, between(42, 72), between(0, 0.05));
    let top = 0;
    for (let t = drawn.fromC; t <= drawn.toC; t += 0.2) top = Math.max(top, drawn.signal(t));
    const low = drawn.signal(drawn.fromC + 5);
    return { ...drawn, ceiling: low + (top - low) * between(0.15, 0.95) };
  },
  /** Aggregates leave with the dye as soon as the protein unfolds. */
  dye_falls_at_once: (between) =>
    drawDye(between, between(42, 72), Math.exp(between(Math.log(0.1), Math.log(2)))),
  /** The unfolded protein precipitates and leaves the light path, within a few degrees. */
  precipitation: (between) => {
    const tmC = between(42, 72);
    const { signal } = drawStep(between, tmC);
    const [after, width, part] = [between(0.5, 15), between(0.2, 3), between(0.2, 1)];
    const normal = createNormals(1 + Math.floor(1e6 * between(0, 1)));
    return {
      ...drawRun(between),
      channel: drawIntrinsic(between),
      tmsC: [tmC],
      signal: (t) => {
        const gone = part / (1 + Math.exp((tmC + after - t) / width));
        return signal(t) * (1 - 0.7 * gone) + 0.03 * gone * normal();
      },
    };
  },
  /** A step, and waves a tenth to a half as high. */
  step_on_waves: (between) => {
    const tmC = between(42, 75);
    const { signal } = drawStep(between, tmC);
    const [period, phase, height] = [between(4, 40), between(0, 2 * Math.PI), between(0.02, 0.3)];
    return {
      ...drawRun(between),
      channel: drawIntrinsic(between),
      tmsC: [tmC],
      signal: (t) => signal(t) + height * Math.sin((2 * Math.PI * t) / period + phase),
    };
  },
  flat: (between) => {
    const slope = between(-0.01, 0.01);
    return {
      ...drawRun(between),
      channel: between(0, 1) < 0.4 ? 'dye' : drawIntrinsic(between),
      tmsC: [],
      signal: (t) => 2 + slope * (t - 60),
    };
  },
} as const satisfies Readonly<Record<string, Family>>;

export type HostileFamily = keyof typeof HOSTILE_MELTS;

/** Draws one curve of a family. The same seed gives the same curve. */
export function drawHostileMelt(family: HostileFamily, seed: number): HostileMelt {
  const uniform = createUniforms(7_919 * seed + 13);
  for (let skipped = 0; skipped < 8; skipped += 1) uniform();
  const between: Between = (low, high) => low + (high - low) * uniform();
  const draw: Family = HOSTILE_MELTS[family];
  const drawn = draw(between);
  const {
    fromC,
    toC,
    stepC,
    rho,
    noiseSd,
    floor = Number.NEGATIVE_INFINITY,
    ceiling = Number.POSITIVE_INFINITY,
  } = drawn;
  const n = Math.floor((toC - fromC) / stepC) + 1;
  const normal = createNormals(104_729 * seed + 7);
  const temperatureC = Float64Array.from({ length: n }, (_, i) => fromC + i * stepC);
  let noise = normal();
  const signal = temperatureC.map((t) => {
    noise = rho * noise + Math.sqrt(1 - rho * rho) * normal();
    return Math.max(floor, Math.min(ceiling, drawn.signal(t) + noiseSd * noise));
  });
  return { channel: drawn.channel, temperatureC, signal, tmsC: drawn.tmsC };
}
