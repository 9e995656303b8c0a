/**
 * Sensors in columns: the sensors of a column are dipped together, so a series (all concentrations of one replicate, and
 * buffer) stands in one column beside a reference sensor. The remaining sensors of the columns are controls; where they are
 * too few, columns of controls follow.
 */
import type { Steps } from '#core/slices.ts';
import { formatWell, PLATE_SHAPES } from '#core/wells.ts';
import { createPlateWords, formatPlateName } from './arrangement.ts';
import type { Arrangement, ArrangementInput } from './arrangement.ts';
import { spreadMembers } from './balance.ts';
import type { Member, Site } from './balance.ts';
import { createProblem } from './plan.ts';
import type { ControlsToPlan, PlannedContent, PlannedPlate, PlannedWell, PlanRequest } from './plan.ts';
import { createLabContent, createSampleContent, listConcentrations } from './preparations.ts';
import type { Preparation } from './preparations.ts';

/** Of each column. */
const REFERENCES = 1;
/** Turns the content of each column against the one before, so that no concentration keeps to one row. */
const ROTATION = 3;

interface Series extends Member {
  readonly contents: readonly PlannedContent[];
}

/** The series of each column of a plate, and how many columns follow for controls alone. */
interface Filling {
  readonly columns: readonly (readonly Series[])[];
  readonly controlColumns: number;
  readonly count: number;
}

export function* arrangeColumns({ request, preparations }: ArrangementInput): Steps<Arrangement> {
  const { rows, columns } = PLATE_SHAPES[request.size];
  const room = rows - REFERENCES;
  const series = preparations.map(createSeries);
  const long = series.find(({ size }) => size > room);
  if (long !== undefined) {
    const remedy =
      request.size === 96 ? 'choose fewer concentrations or a plate of 384' : 'choose fewer concentrations';
    const message = `${long.size - 1} concentrations, buffer and a reference need ${long.size + REFERENCES} sensors, and a column has ${rows}: ${remedy}.`;
    return { problems: [createProblem('series_too_long', message)] };
  }
  const neededControls = listNeededControls(request);
  const plates: PlannedPlate[] = [];
  for (let start = 0; start < series.length;) {
    const filling = fillColumns(series.slice(start), { room, columns, needed: neededControls.length });
    if (filling.count === 0) {
      const message = `The controls need ${neededControls.length} sensors and leave none for samples on a plate of ${request.size}: choose fewer negative controls or a larger plate.`;
      return { problems: [createProblem('controls_too_many', message)] };
    }
    plates.push(composePlate(request, formatPlateName(plates.length), filling, neededControls));
    start += filling.count;
    yield;
  }
  return { plates };
}

function createSeries(preparation: Preparation): Series {
  const { concentrationsM, id } = preparation.experiment;
  const descending = concentrationsM.toSorted((a, b) => b - a);
  const contents = [...descending, 0].map((each) => createSampleContent(preparation, each));
  return { identity: preparation.sample, stratum: id, size: contents.length, contents };
}

/** The positive control over all concentrations, the negative ones at the highest and in buffer. */
function listNeededControls({
  controls: { positive, negatives },
  experiments,
}: PlanRequest): PlannedContent[] {
  const concentrations = [...listConcentrations(experiments), 0];
  return [
    ...concentrations.map((each) => createLabContent('positive_control', positive ?? '', 1, each)),
    ...negatives.flatMap((sample) => createNegativePair(sample, 1, concentrations[0] ?? 0)),
  ];
}

function createNegativePair(sample: string, replicate: number, highestM: number): PlannedContent[] {
  return [highestM, 0].map((each) => createLabContent('negative_control', sample, replicate, each));
}

/** Takes series in their order while columns and the controls of the plate have room. */
function fillColumns(
  series: readonly Series[],
  { room, columns, needed }: { room: number; columns: number; needed: number },
): Filling {
  const filled: Series[][] = [];
  let used = 0;
  let inLast = room;
  let count = 0;
  for (const each of series) {
    const opens = inLast + each.size > room;
    if (columns * room - (used + each.size) < needed || (opens && filled.length === columns)) break;
    if (opens) filled.push([each]);
    else filled.at(-1)?.push(each);
    inLast = opens ? each.size : inLast + each.size;
    used += each.size;
    count += 1;
  }
  const missing = needed - (filled.length * room - used);
  return { columns: filled, controlColumns: Math.max(0, Math.ceil(missing / room)), count };
}

function composePlate(
  request: PlanRequest,
  name: string,
  { columns, controlColumns }: Filling,
  needed: readonly PlannedContent[],
): PlannedPlate {
  const drawWord = createPlateWords(request, name);
  const { rows } = PLATE_SHAPES[request.size];
  const balanced = spreadSeries(columns, drawWord);
  const all = [...balanced, ...Array.from({ length: controlColumns }, (): Series[] => [])];
  const turn = drawWord() % rows;
  const room = rows - REFERENCES;
  const controls = listControls(request.controls, needed, countFree(all, room));
  const doses = listReferenceDoses(
    [...all.flat().flatMap(({ contents }) => contents), ...controls],
    all.length,
  );
  const wells = all.flatMap((series, column): PlannedWell[] => {
    const own = series.flatMap(({ contents }) => contents);
    const added = controls.splice(0, room - own.length);
    const dose = doses[column % doses.length] ?? 0;
    const reference = createLabContent('reference', '', column + 1, dose);
    return [...own, reference, ...added]
      .map((content, index) => ({ content, row: (index + turn + ROTATION * column) % rows }))
      .toSorted((a, b) => a.row - b.row)
      .map(({ content, row }) => ({ well: formatWell({ row, column }), order: null, ...content }));
  });
  return { name, wells };
}

/**
 * A dip is referenced by a sensor at its own concentration, so the columns take turns. With fewer columns than
 * concentrations some dips would have none, and the analysis would leave them out: then all stand at the highest.
 */
function listReferenceDoses(contents: readonly PlannedContent[], columns: number): number[] {
  const doses = [...new Set(contents.map(({ concentrationM }) => concentrationM ?? 0))].toSorted(
    (a, b) => b - a,
  );
  const present = doses.filter((dose) => dose > 0);
  if (columns < present.length) return doses.slice(0, 1);
  return columns < doses.length ? present : doses;
}

function countFree(columns: readonly (readonly Series[])[], room: number): number {
  const used = columns.flat().reduce((sum, { size }) => sum + size, 0);
  return columns.length * room - used;
}

/** The needed controls, and in the sensors that remain further replicates of the negative ones, in pairs. */
function listControls(
  { negatives }: ControlsToPlan,
  needed: readonly PlannedContent[],
  free: number,
): PlannedContent[] {
  const controls = [...needed];
  const highestM = Math.max(...needed.map(({ concentrationM }) => concentrationM ?? 0));
  for (let added = 0; controls.length + 2 <= free && negatives.length > 0; added += 1) {
    const sample = negatives[added % negatives.length] ?? '';
    controls.push(...createNegativePair(sample, 2 + Math.floor(added / negatives.length), highestM));
  }
  return controls;
}

/** Gives the series new columns; each keeps the number of its sensors. */
function spreadSeries(columns: readonly (readonly Series[])[], drawWord: () => number): Series[][] {
  const sites = columns.flatMap((series, column) =>
    series.map((_, row): Site => {
      const quadrant = column < columns.length / 2 ? 0 : 1;
      return { row, column, quadrant, isEdge: column === 0 || column === columns.length - 1 };
    }),
  );
  const placed = spreadMembers(columns.flat(), sites, drawWord);
  return columns.map((_, column) => placed.filter((__, index) => sites[index]?.column === column));
}
