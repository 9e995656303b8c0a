/** Describes parsed sets well by well: names, roles, steps or channels, points and gaps. */
import type { MappingEntry } from '#core/raw-mapping.ts';
import { findAssignment } from '../assays/settings.ts';
import { createMappingLookup } from '../curves/map-wells.ts';
import type { Mapping } from '../curves/map-wells.ts';
import type { MeltTrace, PlateReading, TraceStep, WellContent } from '../curves/trace.ts';
import type { RunSets } from '../formats/run-sets.ts';
import type { PlateMap } from '../formats/wells/plate-map.ts';
import { computeMedian } from '../numerics/statistics.ts';
import type { PreviewedPart, PreviewedSet, PreviewedWell } from './types.ts';

/** A distance between points above this multiple of the usual one is a gap. */
const GAP_RATIO = 5;

/** A set with all of its wells, those that the mapping leaves out among them. */
export interface DescribedSet extends Omit<PreviewedSet, 'nWells' | 'wells'> {
  readonly wells: readonly DescribedWell[];
}

export interface DescribedWell extends PreviewedWell {
  /** The file gives no name to the sample. */
  readonly isUnnamed: boolean;
  /** Entry of the mapping that names it; null without one. */
  readonly entry: MappingEntry | null;
  readonly hasOverflow: boolean;
  /** Concentrations of its injections in M, where settings or steps state them. */
  readonly dosesM: readonly number[];
}

/** What the setting `assign` may say of a trace or a well. It takes precedence over the file and over mappings. */
interface Assigned {
  readonly sample?: string;
  readonly replicate?: number;
  readonly role?: PreviewedWell['role'];
  readonly concentrationM?: number;
  readonly injectionsM?: readonly number[];
  readonly exclude?: boolean;
}

/** Keys are names of traces or wells, or `<plate>/<name>`. */
export type Assign = Readonly<Record<string, Assigned>>;

type Content = Omit<WellContent, 'well' | 'role'> & Pick<DescribedWell, 'id' | 'well' | 'isUnnamed' | 'role'>;

interface Context {
  readonly mapping: Mapping;
  readonly planned: Mapping;
  readonly names: ReadonlySet<string>;
  readonly assign: Assign;
}

export function describeSets(sets: RunSets, context: Context): DescribedSet[] {
  const found = [
    ...sets.traces.map((set, index): DescribedSet => {
      const describe = createDescriber(context, set.plate, index);
      return {
        ...takeHead(set),
        kind: 'traces',
        technique: set.technique,
        signalUnit: set.signalUnit,
        axisUnit: 's',
        wells: set.traces.map((trace) => {
          const isUnnamed = trace.isUnnamed === true || trace.sample === '';
          const content = { ...trace, concentrationNgPerUl: null, isUnnamed };
          return describe(content, trace.steps.map(describeStep));
        }),
      };
    }),
    ...sets.melts.map((set, index): DescribedSet => {
      const wells = describeWells(createDescriber(context, set.plate, index), set.traces, describeCurve);
      return { ...takeHead(set), kind: 'melts', technique: null, signalUnit: null, axisUnit: '°C', wells };
    }),
    ...sets.plates.map((set, index): DescribedSet => {
      const wells = describeWells(createDescriber(context, set.plate, index), set.readings, describeReading);
      return {
        ...takeHead(set),
        kind: 'values',
        technique: null,
        signalUnit: set.unit,
        axisUnit: null,
        wells,
      };
    }),
  ];
  return found.length === 0 && sets.map !== null
    ? [describeMap(sets.map, createDescriber(context, null, 0))]
    : found;
}

interface Head {
  readonly format: string;
  readonly instrument: string | null;
  readonly plate: string | null;
  readonly notices: readonly string[];
}

function takeHead({ format, instrument, plate, notices }: Head): Head {
  return {
    format,
    instrument: instrument === null ? null : toPlain(instrument),
    plate: plate === null ? null : toPlain(plate),
    notices: notices.map(toPlain),
  };
}

/** Replaces the characters that no answer can carry. */
function toPlain(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\u{fffd}');
}

type Describe = (content: Content, parts: readonly PreviewedPart[], hasOverflow?: boolean) => DescribedWell;

function createDescriber(context: Context, plate: string | null, index: number): Describe {
  const { mapping, planned, names, assign } = context;
  const findEntry = createMappingLookup(mapping, plate);
  const findPlanned = createMappingLookup(planned, plate);
  return (content, parts, hasOverflow = false) => {
    const entry = findEntry(content);
    const said = entry ?? findPlanned(content);
    // The assays with this setting call a plate without a name so.
    const assigned = findAssignment(assign, plate ?? `plate ${index + 1}`, content.id) ?? {};
    const sample = toPlain(assigned.sample ?? said?.sequence ?? content.sample);
    return {
      id: toPlain(content.id),
      well: content.well === null ? null : toPlain(content.well),
      role: assigned.exclude === true ? 'left_out' : (assigned.role ?? said?.role ?? content.role),
      sample,
      replicate: assigned.replicate ?? said?.replicate ?? content.replicate,
      concentrationM: assigned.concentrationM ?? content.concentrationM,
      concentrationNgPerUl: content.concentrationNgPerUl,
      matchedSequence: names.has(sample) ? sample : null,
      isMapped: entry !== null,
      isUnnamed: content.isUnnamed && (assigned.sample ?? said?.sequence ?? null) === null,
      entry,
      hasOverflow,
      dosesM: assigned.injectionsM ?? parts.flatMap((part) => part.concentrationM ?? []),
      parts,
    };
  };
}

/** Describes wells of several channels or values once each, in their order. */
function describeWells<Row extends WellContent>(
  describe: Describe,
  rows: readonly Row[],
  describePart: (row: Row) => PreviewedPart,
): DescribedWell[] {
  return [...Map.groupBy(rows, ({ well }) => well)].map(([well, same]) => {
    const [first] = same;
    const isUnnamed = first.sample === '' || first.sample === well;
    const hasOverflow = same.some((row) => 'saturated' in row && row.saturated === true);
    return describe({ ...first, id: well, isUnnamed }, same.map(describePart), hasOverflow);
  });
}

function describeMap(map: PlateMap, describe: Describe): DescribedSet {
  const wells = [...map].map(([well, content]) => {
    const whole = { role: 'sample' as const, sample: well, replicate: 1, ...content };
    const { concentrationM = null, concentrationNgPerUl = null } = content;
    const isUnnamed = whole.sample === well;
    return describe({ ...whole, id: well, well, concentrationM, concentrationNgPerUl, isUnnamed }, []);
  });
  return {
    ...takeHead({ format: 'plate-map', instrument: null, plate: null, notices: [] }),
    kind: 'map',
    technique: null,
    signalUnit: null,
    axisUnit: null,
    wells,
  };
}

function describeStep({ step, timeS, concentrationM = null }: TraceStep): PreviewedPart {
  return { ...describePoints(step, timeS), concentrationM };
}

function describeCurve({ channel, temperatureC }: MeltTrace): PreviewedPart {
  return { ...describePoints(toPlain(channel), temperatureC), concentrationM: null };
}

function describePoints(name: string, at: Float64Array): Omit<PreviewedPart, 'concentrationM'> {
  const distances = at.subarray(1).map((value, index) => value - at[index]);
  const interval = distances.length === 0 ? null : computeMedian(distances);
  const largest = distances.reduce((most, each) => Math.max(most, each), 0);
  const isGap = interval !== null && interval > 0 && largest > GAP_RATIO * interval;
  const [from = null] = at;
  return {
    name,
    from,
    to: at.at(-1) ?? null,
    nPoints: at.length,
    interval,
    gap: isGap ? largest : null,
  };
}

function describeReading({ channel, exNm, emNm, gain, value }: PlateReading): PreviewedPart {
  const light = exNm === null && emNm === null ? '' : ` ${exNm ?? '?'}/${emNm ?? '?'} nm`;
  return {
    name: toPlain(`${channel}${light}${gain === null ? '' : ` gain ${gain}`}`),
    from: null,
    to: null,
    nPoints: value === null ? 0 : 1,
    interval: null,
    gap: null,
    concentrationM: null,
  };
}
