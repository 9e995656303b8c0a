/**
 * The canonical raw model: every instrument file is converted to it, and the analysis reads nothing else. A trace is
 * the signal of one sensor; a trace set is what was run together (one plate or one instrument assay). Melting runs
 * and plate readers have wells instead of sensors: a melt set holds signals over temperature, a plate set single
 * values.
 * This folder: the canonical model of traces, and processed curves as they are stored. Not here: formats of
 * instruments, fits.
 */
import { keepPoints } from '../numerics/thinning.ts';
import { SamplePairs } from './sample-pairs.ts';
import type { ControlRole } from '#core/raw-mapping.ts';

export type Technique = 'bli' | 'spr';

export type TraceRole =
  'sample' | 'reference' | 'blank' | 'positive_control' | 'negative_control' | 'standard';

export const TRACE_ROLES: readonly TraceRole[] = [
  'sample',
  'reference',
  'blank',
  'positive_control',
  'negative_control',
  'standard',
];

/**
 * `unsegmented` is association followed by dissociation in one piece, from files that do not state where dissociation
 * begins.
 */
export type StepName =
  'baseline' | 'loading' | 'quenching' | 'association' | 'dissociation' | 'regeneration' | 'unsegmented';

export const STEP_NAMES: readonly StepName[] = [
  'baseline',
  'loading',
  'quenching',
  'association',
  'dissociation',
  'regeneration',
  'unsegmented',
];

export interface TraceStep {
  step: StepName;
  /** Nominal start of the step on the clock of the trace, in s. */
  startS: number;
  /** Sample times on the clock of the trace, ascending, in s. Same length as `signal`. */
  timeS: Float64Array;
  /** Signal in the unit of the set (nm for BLI, RU for SPR). */
  signal: Float64Array;
  /** Analyte concentration of this step in M, where it differs from that of the trace (single-cycle kinetics). */
  concentrationM?: number | null;
}

export interface Trace {
  id: string;
  well: string | null;
  role: TraceRole;
  /** Name of the sample on the sensor; empty for an unloaded reference sensor. */
  sample: string;
  /** The file does not name the sample; `sample` then only tells the curves of the file apart. */
  isUnnamed?: boolean;
  /** 1-based. */
  replicate: number;
  /** Analyte concentration in M: null when not given, 0 for buffer. */
  concentrationM: number | null;
  /** In time order. */
  steps: TraceStep[];
}

export interface TraceSet {
  format: string;
  technique: Technique | null;
  signalUnit: string | null;
  instrument: string | null;
  plate: string | null;
  /** All other metadata of the file about the run, as text. */
  metadata: Record<string, string>;
  /** Remarks on how the file was read that the reader of the result must know, such as assays without trace files. */
  notices: string[];
  traces: Trace[];
  /** Controls as the file names them, where a mapping by hand may have taken some away. */
  statedControls?: StatedControls;
}

/**
 * The content of a well or capillary. A binding trace may also be a `reference` sensor, and a plate has standards.
 */
export type WellRole = 'sample' | 'positive_control' | 'negative_control' | 'blank' | 'standard' | 'empty';

export const WELL_ROLES: readonly WellRole[] = [
  'sample',
  'positive_control',
  'negative_control',
  'blank',
  'standard',
  'empty',
];

/**
 * The content of a well. Files that do not state it leave `sample` at the name of the well and `role` at `sample`.
 */
export interface WellContent {
  /** `A1`, or the name of a capillary; unique within a set. */
  well: string;
  role: WellRole;
  sample: string;
  /** 1-based. */
  replicate: number;
  /** Concentration of the ligand, analyte or standard in M; null when not given. */
  concentrationM: number | null;
  /** Mass concentration of a standard or sample in ng/µL; null when not given. */
  concentrationNgPerUl: number | null;
}

/** Signal over temperature of one well in one channel. Every well has its own temperature axis. */
export interface MeltTrace extends WellContent {
  /** `ratio`, `330nm`, `350nm`, `dye`, `scattering`, or as the file names it. */
  channel: string;
  /** Whether the file names no channel, so that `channel` is only the usual one. Default false. */
  isChannelAssumed?: boolean;
  /** Strictly ascending, in °C. Same length as `signal`. */
  temperatureC: Float64Array;
  signal: Float64Array;
}

/** The data of one melting run: DSF with a dye, nanoDSF, light scattering. */
export interface MeltSet {
  format: string;
  instrument: string | null;
  plate: string | null;
  metadata: Record<string, string>;
  notices: string[];
  traces: MeltTrace[];
  /** Controls as the file names them, where a mapping by hand may have taken some away. */
  statedControls?: StatedControls;
}

/** One value of one well of a plate reader: an endpoint, or one point of a spectrum. */
export interface PlateReading extends WellContent {
  /** Name of the read, e.g. `A280`, `fluorescence`. */
  channel: string;
  exNm: number | null;
  emNm: number | null;
  gain: number | null;
  /** Null where the detector overflowed (`saturated`). */
  value: number | null;
  saturated: boolean;
}

export interface PlateSet {
  format: string;
  instrument: string | null;
  plate: string | null;
  /** Unit of the values, where the file states one. */
  unit: string | null;
  metadata: Record<string, string>;
  notices: string[];
  readings: PlateReading[];
  /** Controls as the file names them, where a mapping by hand may have taken some away. */
  statedControls?: StatedControls;
}

/** Builds a step sample by sample. */
export class StepBuilder {
  readonly step: StepName;
  readonly startS: number;
  private readonly samples = new SamplePairs();

  constructor(step: StepName, startS: number) {
    this.step = step;
    this.startS = startS;
  }

  get lastTimeS(): number {
    return this.samples.lastX;
  }

  push(timeS: number, signal: number): void {
    this.samples.push(timeS, signal);
  }

  /** Called once, after everything is pushed. */
  build(): TraceStep {
    const { x: timeS, y: signal } = this.samples.build();
    return { step: this.step, startS: this.startS, timeS, signal };
  }
}

/** Returns the step with the samples whose time passes. */
export function selectSamples(step: TraceStep, isKept: (timeS: number) => boolean): TraceStep {
  return { ...step, ...keepPoints(step, isKept) };
}

export function selectAssociations(steps: readonly TraceStep[]): TraceStep[] {
  return steps.filter(({ step }) => step === 'association');
}

/** Returns the steps with the concentration of each association, in order; null unless there is one for each. */
export function withConcentrations(
  steps: readonly TraceStep[],
  molar: readonly (number | null)[],
): TraceStep[] | null {
  const associations = selectAssociations(steps);
  if (associations.length !== molar.length) return null;
  return steps.map((step) => {
    const at = associations.indexOf(step);
    return at === -1 ? step : { ...step, concentrationM: molar[at] };
  });
}

/** The controls that a file names, before people say otherwise. */

interface StatedControl {
  /** Name of the trace or the well. */
  readonly id: string;
  readonly role: ControlRole;
  readonly sample: string;
}

export type StatedControls = readonly StatedControl[];

interface Named {
  readonly id?: string;
  readonly well: string | null;
  readonly role: string;
  readonly sample: string;
  readonly concentrationM: number | null;
}

/** Lists each control once, however many channels it was read in. One in buffer alone is a blank. */
export function listStatedControls(measured: readonly Named[]): StatedControl[] {
  const controls = new Map<string, StatedControl>();
  for (const { id: ownId, well, role, sample, concentrationM } of measured) {
    const id = ownId ?? well;
    if (id === null || concentrationM === 0 || controls.has(id)) continue;
    if (role === 'positive_control' || role === 'negative_control') controls.set(id, { id, role, sample });
  }
  return [...controls.values()];
}
