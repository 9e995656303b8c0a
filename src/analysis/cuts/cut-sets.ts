/** Cuts parsed sets by the plan: each experiment of a plate gets its own wells and those of the lab. */
import { formatCount } from '#core/words.ts';
import { createMappingLookup, type Mapping } from '../curves/map-wells.ts';
import type {
  MeltSet,
  MeltTrace,
  PlateReading,
  PlateSet,
  Trace,
  TraceRole,
  TraceSet,
  WellContent,
} from '../curves/trace.ts';
import type { RunSets } from '../formats/run-sets.ts';
import { createCellFinder, placeWell } from './place-well.ts';
import type { MeasuredWell, Mismatch, PlacedContent, Placement, PlannedPlace } from './place-well.ts';
import type { CutProblem, CutProblemCode, PlannedCell, PlannedCells } from './types.ts';

/** Sets of files that name this plate in their names; null where they name none. */
export interface NamedSets {
  readonly plate: string | null;
  readonly files: readonly string[];
  readonly sets: RunSets;
}

export interface OwnedRow<Row> {
  readonly row: Row;
  /** Null for the lab. */
  readonly owner: string | null;
  readonly sample: string;
  readonly isMapped: boolean;
}

interface Owned<Kind extends string, Whole, Row> {
  readonly kind: Kind;
  readonly plate: PlannedCells;
  readonly set: Whole;
  readonly rows: readonly OwnedRow<Row>[];
  /** Names of the files that it may come from. */
  readonly files: readonly string[];
}

export type OwnedSet =
  | Owned<'traces', TraceSet, Trace>
  | Owned<'melts', MeltSet, MeltTrace>
  | Owned<'values', PlateSet, PlateReading>;

/** A set as its files are read: the plate that it is of, and the names of the files. */
interface Source {
  readonly plate: PlannedCells;
  readonly files: readonly string[];
}

interface Context {
  readonly plates: readonly PlannedCells[];
  readonly mapping: Mapping;
  readonly bySample: ReadonlyMap<string, PlannedCell>;
  readonly findings: Findings;
}

/** Gives every row of the sets its owner and the content that the plan states. */
export function assignOwners(
  named: readonly NamedSets[],
  { plates, mapping }: { readonly plates: readonly PlannedCells[]; readonly mapping: Mapping },
): { sets: OwnedSet[]; problems: CutProblem[] } {
  const cells = plates.flatMap(({ wells }) => wells);
  const bySample = new Map(cells.toReversed().map((cell) => [cell.sample, cell]));
  const context = { plates, mapping, bySample, findings: new Findings() };
  const sets = named.flatMap(({ plate: ofFile, files, sets: { traces, melts, plates: values } }) => {
    const find = (stated: string | null): Source[] => {
      const plate = findPlate(stated, ofFile, context);
      return plate === undefined ? [] : [{ plate, files }];
    };
    return [
      ...traces.flatMap((set) => find(set.plate).map((source) => assignTraces(set, source, context))),
      ...melts.flatMap((set) => find(set.plate).map((source) => assignMelts(set, source, context))),
      ...values.flatMap((set) => find(set.plate).map((source) => assignValues(set, source, context))),
    ];
  });
  findRepeats(sets, context.findings);
  return { sets, problems: context.findings.list() };
}

function findPlate(
  stated: string | null,
  ofFile: string | null,
  { plates, findings }: Context,
): PlannedCells | undefined {
  const found = plates.find(({ name }) => name === stated) ?? plates.find(({ name }) => name === ofFile);
  const only = plates.length === 1 ? plates[0] : undefined;
  const plate = found ?? only;
  if (plate === undefined)
    findings.add(
      'plate_not_planned',
      '',
      `A file names ${stated === null ? 'no plate' : `the plate ${stated}`}, and the plan has ${plates.map(({ name }) => name).join(', ')}: begin the name of the file with that of its plate, such as ${plates[0]?.name ?? 'P1'}-data.csv`,
    );
  return plate;
}

function createPlacer(
  plate: PlannedCells,
  stated: string | null,
  { mapping, bySample, findings }: Context,
): (measured: MeasuredWell) => Extract<Placement, { kind: 'placed' }> | null {
  const findEntry = createMappingLookup(mapping, stated ?? plate.name);
  const plan: PlannedPlace = { find: createCellFinder(plate.wells), bySample };
  return (measured) => {
    const placed = placeWell(measured, findEntry(measured), plan);
    const at = `${plate.name} ${measured.well ?? measured.id}`;
    if (placed.kind === 'refused') findings.addAt(placed.problem, at);
    else if (placed.kind === 'placed') {
      if (placed.warning !== null) findings.addAt(placed.warning, at);
      return placed;
    } else if (!placed.isSilent) findings.addAt({ code: 'wells_left_out', detail: '' }, at);
    return null;
  };
}

function assignTraces(set: TraceSet, source: Source, context: Context): OwnedSet {
  const place = createPlacer(source.plate, set.plate, context);
  const rows = set.traces.flatMap((trace) => {
    const isUnnamed = trace.isUnnamed === true || trace.sample === '' || trace.sample === trace.well;
    const placed = place({ ...trace, isUnnamed });
    // The id of a trace may hold the name of its sample; the well says enough.
    const id = trace.well ?? '';
    return placed === null ? [] : [giveOwner(placed, { ...trace, ...placed.content, id, isUnnamed: false })];
  });
  return { kind: 'traces', ...source, set, rows };
}

function assignMelts(set: MeltSet, source: Source, context: Context): OwnedSet {
  const place = createPlacer(source.plate, set.plate, context);
  return { kind: 'melts', ...source, set, rows: set.traces.flatMap((row) => placeRow(row, place)) };
}

function assignValues(set: PlateSet, source: Source, context: Context): OwnedSet {
  const place = createPlacer(source.plate, set.plate, context);
  return { kind: 'values', ...source, set, rows: set.readings.flatMap((row) => placeRow(row, place)) };
}

function placeRow<Row extends WellContent>(
  row: Row,
  place: ReturnType<typeof createPlacer>,
): OwnedRow<Row>[] {
  const isUnnamed = row.sample === '' || row.sample === row.well;
  const placed = place({ ...row, id: row.well, isUnnamed });
  if (placed === null) return [];
  return [giveOwner(placed, { ...row, ...placed.content, role: toWellRole(placed.content) })];
}

/** Wells have no reference sensors. */
function toWellRole({ role }: PlacedContent): Exclude<TraceRole, 'reference'> {
  return role === 'reference' ? 'blank' : role;
}

function giveOwner<Row>(
  { owner, sample, isMapped }: Extract<Placement, { kind: 'placed' }>,
  row: Row,
): OwnedRow<Row> {
  return { row, owner, sample, isMapped };
}

/** Two files with one well would count as two measurements of it. */
function findRepeats(sets: readonly OwnedSet[], findings: Findings): void {
  const seen = new Map<string, OwnedSet>();
  for (const set of sets) {
    for (const { row } of set.rows) {
      const at = `${set.plate.name} ${row.well ?? ''}`;
      const key = `${set.kind} ${at} ${'channel' in row ? row.channel : ''}`;
      const before = seen.get(key);
      if (row.well === null || before === set) continue;
      if (before === undefined) seen.set(key, set);
      else findings.addAt({ code: 'well_measured_twice', detail: '' }, at);
    }
  }
}

const WELLS_NAMED = 8;

/** What a rule says of all its wells. */
const SENTENCES: Readonly<Record<CutProblemCode, (what: string) => string>> = {
  plate_not_planned: (what) => `${what}.`,
  well_not_planned: (what) =>
    `${what}: bring the file of this run, map the well by hand, or mark it as left out.`,
  sample_other_than_planned: (what) => `${what}: correct the file, or map the well by hand.`,
  role_other_than_planned: (what) => `${what}: correct the file, or map the well by hand.`,
  concentration_other_than_planned: (what) => `${what}.`,
  well_measured_twice: (what) =>
    `Several files have ${what}: each counts as a measurement, so leave out what does not belong to the run.`,
  wells_left_out: (what) => `The plan has nothing in ${what}, and the file names no sample: it is left out.`,
};

const WARNINGS: ReadonlySet<CutProblemCode> = new Set([
  'concentration_other_than_planned',
  'well_measured_twice',
  'wells_left_out',
]);

/** Collects what is wrong, well by well, and says each rule once. */
class Findings {
  private readonly found = new Map<CutProblemCode, Map<string, string>>();

  addAt({ code, detail }: Mismatch, at: string): void {
    this.add(code, at, detail === '' ? at : `${at} ${detail}`);
  }

  add(code: CutProblemCode, at: string, what: string): void {
    const wells = this.found.get(code) ?? new Map<string, string>();
    if (!wells.has(at)) wells.set(at, what);
    this.found.set(code, wells);
  }

  list(): CutProblem[] {
    return [...this.found].map(([code, wells]) => {
      const named = [...wells.values()].slice(0, WELLS_NAMED);
      const more = wells.size - named.length;
      const wellNames = `${named.join('; ')}${more > 0 ? `; and ${formatCount(more, 'more well')}` : ''}`;
      return {
        code,
        severity: WARNINGS.has(code) ? 'warning' : 'error',
        message: SENTENCES[code](wellNames),
      };
    });
  }
}
