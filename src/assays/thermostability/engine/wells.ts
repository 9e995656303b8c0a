/**
 * Converts melt sets to one curve per well: applies assignments, chooses the channel, cuts the range, thins long
 * axes.
 */
import { formatCount } from '#core/words.ts';
import { averageBlocks, chooseStride } from '#analysis/numerics/thinning.ts';
import type { MeltSet, MeltTrace, WellContent } from '#analysis/curves/trace.ts';
import { findAssignment } from '#analysis/assays/settings.ts';
import type { Curve } from './fit.ts';
import { findPlateaus } from './plateaus.ts';
import type { Plateau } from './plateaus.ts';
import type { MeltingSettings } from './settings.ts';

export interface Well extends WellContent {
  plate: string;
  channel: string;
  /** Whether the curve is a ratio of two wavelengths: the file says so, or it says nothing and the values look like one. */
  isRatio: boolean;
  /** Whether only the values say so. */
  isRatioGuessed: boolean;
  /**
   * Whether the file names no channel, and it is not a dye: light that begins as bright as that of a protein does, or a
   * ratio.
   */
  isIntrinsicGuessed: boolean;
  /** Null where the well lacks the channel. */
  curve: Curve | null;
  /** Where the detector read its ceiling or floor, in the channel or in those that it is computed from. */
  plateaus: Plateau[];
  scattering: Curve | null;
  /** Of a ratio of wavelengths: the lower one, where it was read at the temperatures of the curve. */
  light: Curve | null;
  /** Mean of the 330 nm channel over the first °C. */
  initial330nm: number | null;
}

const CHANNEL_ORDER = ['ratio', '350nm', '330nm', 'dye'];
const SCATTERING = 'scattering';
const RATIO_OF = ['350nm', '330nm'] as const;
/**
 * With more temperatures than this, two or more are averaged; nothing is lost, because no instrument resolves 0.05
 * °C.
 */
const POINTS_MAX = 1_500;

/** Returns the wells with content, in the order of the file; `notices` lists what was left out. */
export function buildWells(
  set: MeltSet,
  index: number,
  settings: MeltingSettings,
): { plate: string; wells: Well[]; notices: string[] } {
  const plate = set.plate ?? `plate ${index + 1}`;
  const notices: string[] = [];
  const traces = nameAssumed(set.traces, settings, notices);
  const byWell = Map.groupBy(traces, (trace) => trace.well);
  const channel = settings.channel === 'auto' ? chooseChannel(traces) : settings.channel;
  const wells = [...byWell.values()].flatMap((ofWell) => {
    const [first] = ofWell;
    const assigned = findAssignment(settings.assign, plate, first.well) ?? {};
    const content = {
      ...getContent(first),
      ...Object.fromEntries(Object.entries(assigned).filter(([key]) => key !== 'exclude')),
    };
    if (assigned.exclude === true || content.role === 'empty') return [];
    const pick = (name: string): MeltTrace | undefined => ofWell.find((each) => each.channel === name);
    const trace =
      pick(channel) ?? (channel === 'ratio' ? computeRatio(pick('350nm'), pick('330nm')) : undefined);
    if (trace === undefined) notices.push(`Well ${first.well} of ${plate} has no channel ${channel}.`);
    const scattering = pick(SCATTERING);
    const at330 = pick('330nm');
    const curve = trace === undefined ? null : thinCurve(cut(trace, settings));
    const isRatioGuessed = trace?.isChannelAssumed === true && looksLikeRatio(trace.signal);
    return {
      ...content,
      plate,
      channel,
      isRatio: channel === 'ratio' || isRatioGuessed,
      isRatioGuessed,
      isIntrinsicGuessed:
        trace?.isChannelAssumed === true && (isRatioGuessed || looksIntrinsic(trace.signal)),
      curve,
      plateaus: [trace, ...(channel === 'ratio' ? RATIO_OF.map(pick) : [])].flatMap((each) =>
        each === undefined ? [] : findPlateaus(each),
      ),
      scattering: scattering === undefined ? null : thinCurve(cut(scattering, settings)),
      light:
        channel === 'ratio' && at330 !== undefined
          ? selectLight(curve, thinCurve(cut(at330, settings)))
          : null,
      initial330nm: at330 === undefined ? null : computeInitial(at330),
    };
  });
  return { plate, wells, notices: [...set.notices, ...notices] };
}

/** Gives curves whose file names no channel the one that the settings name; a notice says what the others are taken for. */
function nameAssumed(
  traces: readonly MeltTrace[],
  { channel }: MeltingSettings,
  notices: string[],
): readonly MeltTrace[] {
  const assumed = traces.filter(({ isChannelAssumed }) => isChannelAssumed === true);
  if (assumed.length === 0) return traces;
  if (channel !== 'auto')
    return traces.map((trace) =>
      trace.isChannelAssumed === true ? { ...trace, channel, isChannelAssumed: false } : trace,
    );
  const ratios = assumed.filter(({ signal }) => looksLikeRatio(signal)).length;
  const kinds = [
    ...(ratios > 0
      ? [`${formatCount(ratios, 'curve')} as a ratio of two wavelengths, by the range of its values`]
      : []),
    ...(ratios < assumed.length
      ? [
          `${formatCount(assumed.length - ratios, 'curve')} as a dye, or as light of the protein where it begins bright`,
        ]
      : []),
  ];
  notices.push(
    `The file names no channel: it was analyzed with ${kinds.join(' and ')}. If this is wrong, set channel.`,
  );
  return traces;
}

/**
 * Values of a ratio of two wavelengths: protein emits alike at both, and unfolding changes their ratio less than threefold.
 * Counts of a detector are larger, and a normalized signal begins near zero.
 */
const RATIO_VALUES = { min: 0.1, max: 10, mostOverLeast: 3 } as const;

function looksLikeRatio(signal: Float64Array): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < signal.length; i += 1) {
    least = Math.min(least, signal[i]);
    most = Math.max(most, signal[i]);
  }
  const { min, max, mostOverLeast } = RATIO_VALUES;
  return least >= min && most <= max && most <= mostOverLeast * least;
}

/** Parts of a scan over which its noise is averaged. */
const SCAN_PARTS = 20;
/** A dye on a native protein is dark; intrinsic light begins near its maximum, and collisions take a part of it. */
const FALLING = { startMin: 0.95, leastMax: 0.8 } as const;
/** Where noise hides where it is brightest, a start that is bright, in parts of the maximum and of the range. */
const BRIGHT_START = { startMin: 0.55, noiseMin: 0.07 } as const;

/** Whether light is that of the protein itself. */
function looksIntrinsic(signal: Float64Array): boolean {
  if (signal.length < 2 * SCAN_PARTS || signal.some((value) => value <= 0)) return false;
  const means = averageBlocks(signal, { length: signal.length, blocks: SCAN_PARTS });
  const [least, most] = [Math.min(...means), Math.max(...means)];
  if (means[0] >= FALLING.startMin * most) return least <= FALLING.leastMax * most;
  return means[0] >= BRIGHT_START.startMin * most && isNoisy(signal);
}

/** Whether noise hides where a signal is highest. */
function isNoisy(signal: Float64Array): boolean {
  if (signal.length < 2 * SCAN_PARTS) return false;
  const means = averageBlocks(signal, { length: signal.length, blocks: SCAN_PARTS });
  const range = Math.max(...means) - Math.min(...means);
  return estimateDifferenceSd(signal) >= BRIGHT_START.noiseMin * range;
}

/** Returns the standard deviation of the noise from the differences of neighbors. */
function estimateDifferenceSd(signal: Float64Array): number {
  let squares = 0;
  for (let i = 1; i < signal.length; i += 1) squares += (signal[i] - signal[i - 1]) ** 2;
  return Math.sqrt(squares / (2 * (signal.length - 1)));
}

/** Returns the light of one wavelength, where it has the temperatures of the curve. */
function selectLight(curve: Curve | null, light: Curve): Curve | null {
  const isSame =
    curve?.signal.length === light.signal.length &&
    curve.temperatureC.every((value, i) => value === light.temperatureC[i]);
  return isSame ? light : null;
}

function getContent(trace: MeltTrace): WellContent {
  const { well, role, sample, replicate, concentrationM, concentrationNgPerUl } = trace;
  return { well, role, sample, replicate, concentrationM, concentrationNgPerUl };
}

function chooseChannel(traces: readonly MeltTrace[]): string {
  const present = new Set(traces.map((trace) => trace.channel));
  if (present.has('330nm') && present.has('350nm')) present.add('ratio');
  const known = CHANNEL_ORDER.find((name) => present.has(name));
  return known ?? [...present].find((name) => name !== SCATTERING) ?? SCATTERING;
}

/** Returns 350 nm over 330 nm, where both were read at the same temperatures. */
function computeRatio(at350: MeltTrace | undefined, at330: MeltTrace | undefined): MeltTrace | undefined {
  if (at350 === undefined || at330 === undefined) return undefined;
  const t = at350.temperatureC;
  const same =
    t.length === at330.temperatureC.length && t.every((value, i) => value === at330.temperatureC[i]);
  if (!same || at330.signal.some((value) => value <= 0)) return undefined;
  return { ...at350, channel: 'ratio', signal: at350.signal.map((value, i) => value / at330.signal[i]) };
}

function cut({ temperatureC, signal }: Curve, { temperatureMinC, temperatureMaxC }: MeltingSettings): Curve {
  const low = temperatureMinC ?? Number.NEGATIVE_INFINITY;
  const high = temperatureMaxC ?? Number.POSITIVE_INFINITY;
  const isKept = (_: number, i: number): boolean => temperatureC[i] >= low && temperatureC[i] <= high;
  return { temperatureC: temperatureC.filter(isKept), signal: signal.filter(isKept) };
}

function thinCurve({ temperatureC, signal }: Curve): Curve {
  const stride = chooseStride(temperatureC.length, POINTS_MAX);
  if (stride === 1) return { temperatureC, signal };
  const blocks = Math.floor(temperatureC.length / stride);
  const averageColumn = (values: Float64Array): Float64Array =>
    averageBlocks(values, { length: blocks * stride, blocks });
  return { temperatureC: averageColumn(temperatureC), signal: averageColumn(signal) };
}

/** Returns the mean over the first °C. */
export function computeInitial({ temperatureC, signal }: Curve): number | null {
  let sum = 0;
  let n = 0;
  while (n < signal.length && temperatureC[n] <= temperatureC[0] + 1) {
    sum += signal[n];
    n += 1;
  }
  return n === 0 ? null : sum / n;
}
