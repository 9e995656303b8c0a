/** Problems of the places in a plan, and of what each plate needs by its layout. */
import { formatCount, joinWords } from '#core/words.ts';
import { formatConcentration, isSameConcentration } from '#core/number-words.ts';
import { locateWellOn } from '#core/wells.ts';
import { isEdge } from './arrangement.ts';
import { isAdjacent } from './balance.ts';
import { LAYOUTS, type Layout } from './layouts.ts';
import {
  countWells,
  createProblem,
  createTooManyWells,
  WELLS_MAX,
  type PlannedPlate,
  type PlannedWell,
  type PlanProblem,
  type PlanRequest,
  type RunPlan,
} from './plan.ts';

/** So many sequences are named; the message counts the others. */
const NAMED_MAX = 8;

/** Warns of dips of samples that the plate has no reference sensor for; one problem for all that lack the same ones. */
function findUnreferencedDips({ name, wells }: PlannedPlate): PlanProblem[] {
  const references = wells.filter(({ role }) => role === 'reference').flatMap(getConcentration);
  const bare = wells
    .filter(
      (well) =>
        well.role === 'sample' &&
        getConcentration(well).some((level) => !references.some((each) => isSameConcentration(each, level))),
    )
    .toSorted((a, b) => a.sample.localeCompare(b.sample, 'en', { numeric: true }));
  const bySeries = Map.groupBy(bare, ({ sample, replicate }) => JSON.stringify([sample, replicate]));
  const byLevels = Map.groupBy(bySeries.values(), listLevels);
  return [...byLevels].map(([levels, series]) => {
    const owners = series.flatMap((dips) => dips.slice(0, 1));
    const message = `Plate ${name} has no reference sensor at ${levels} for ${listOwners(owners)}. The analysis leaves these dips out or, where they are most of a replicate, subtracts no reference from it. Put a reference at each of these concentrations into an empty well, or plan more experiments into the run, so that the plate has more columns.`;
    return createProblem('concentration_unreferenced', message, { plate: name, severity: 'warning' });
  });
}

/** Buffer has nothing in it that could bind to the sensor, so its dips need no reference. */
function getConcentration({ concentrationM }: PlannedWell): number[] {
  return concentrationM === null || concentrationM === 0 ? [] : [concentrationM];
}

function listLevels(dips: readonly PlannedWell[]): string {
  const descending = dips.flatMap(getConcentration).toSorted((a, b) => b - a);
  return joinWords([...new Set(descending.map(formatConcentration))], 'and');
}

/** Lists `replicates 1 and 2 of design-1, and replicate 1 of design-2`. */
function listOwners(owners: readonly PlannedWell[]): string {
  const samples = [...Map.groupBy(owners, ({ sample }) => sample)].map(([sample, own]) => {
    const numbers = own.map(({ replicate }) => replicate).toSorted((a, b) => a - b);
    return `${numbers.length === 1 ? 'replicate' : 'replicates'} ${joinWords(numbers.map(String), 'and')} of ${sample}`;
  });
  const others = samples.length - NAMED_MAX;
  const rest = others > 0 ? [`${others} more ${others === 1 ? 'sequence' : 'sequences'}`] : [];
  return joinWords([...samples.slice(0, NAMED_MAX), ...rest], 'and');
}

const CAPILLARIES = 48;

export function findArrangementProblems(plan: RunPlan, request: PlanRequest): PlanProblem[] {
  const layout = LAYOUTS[plan.layout];
  return [
    ...findRepeatedPlates(plan),
    ...plan.plates.flatMap((plate) => [
      ...findPlaceProblems(plan, plate),
      ...findOrderProblems(layout, plate, request),
      ...findControlProblems(plan, plate, request),
      ...(layout.arrangement === 'columns'
        ? [...findColumnProblems(plate), ...findUnreferencedDips(plate)]
        : []),
      ...(layout.arrangement === 'wells' ? findSpreadProblems(plan, plate) : []),
    ]),
    ...(layout.arrangement === 'cycles' ? findSplitSeries(plan) : []),
  ];
}

/** What no edit can mend and no file can say: wells off the plate or used twice, plates of one name, too many wells. */
export function findShapeProblems(plan: RunPlan): PlanProblem[] {
  const wells = countWells(plan.plates);
  if (wells > WELLS_MAX) return [createTooManyWells(wells)];
  const places = plan.plates.flatMap((plate) => findPlaceProblems(plan, plate));
  return [...findRepeatedPlates(plan), ...places.filter(({ severity }) => severity === 'error')];
}

function findRepeatedPlates({ plates }: RunPlan): PlanProblem[] {
  const names = plates.map(({ name }) => name);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) < index));
  return [...twice].map((name) =>
    createProblem('plate_twice', `Two plates are named ${name}: give each a name of its own.`, {
      plate: name,
    }),
  );
}

function findPlaceProblems({ size, layout }: RunPlan, { name, wells }: PlannedPlate): PlanProblem[] {
  const seen = new Set<string>();
  const { innerOnly } = LAYOUTS[layout];
  return wells.flatMap(({ well }) => {
    const at = { plate: name, well };
    const place = locateWellOn(size, well);
    if (place === null)
      return [
        createProblem(
          'well_outside_plate',
          `Well ${well} is outside plate ${name}, which has ${size} wells: move its content.`,
          at,
        ),
      ];
    const key = `${place.row},${place.column}`;
    const isTaken = seen.has(key);
    seen.add(key);
    const problems = isTaken
      ? [
          createProblem(
            'well_twice',
            `Well ${well} of plate ${name} has two contents: move one to an empty well.`,
            at,
          ),
        ]
      : [];
    if (innerOnly.includes(size) && isEdge(size, place)) {
      const message = `Well ${well} of plate ${name} is on the border and evaporates first: move its content inwards.`;
      problems.push(createProblem('edge_used', message, { ...at, severity: 'warning' }));
    }
    return problems;
  });
}

function findOrderProblems(
  { arrangement }: Layout,
  { name, wells }: PlannedPlate,
  { capillaries = CAPILLARIES }: PlanRequest,
): PlanProblem[] {
  if (arrangement !== 'cycles' && arrangement !== 'capillaries') return [];
  const orders = new Set(wells.map(({ order }) => order));
  const isComplete = wells.every((_, index) => orders.has(index + 1));
  if (!isComplete)
    return [
      createProblem(
        'order_invalid',
        `The order of plate ${name} is not 1 to ${wells.length}, each once: number its wells anew.`,
        { plate: name },
      ),
    ];
  if (arrangement === 'cycles' || wells.length <= capillaries) return [];
  const message = `Plate ${name} has ${wells.length} wells, and a run ${capillaries} capillaries: move the others to another plate.`;
  return [createProblem('order_invalid', message, { plate: name })];
}

const ROLE_WORDS = {
  positive_control: 'positive control',
  negative_control: 'negative control',
  blank: 'blank',
} as const;

function findControlProblems(
  { layout, size }: RunPlan,
  { name, wells }: PlannedPlate,
  { controls }: PlanRequest,
): PlanProblem[] {
  const { countControls, standardRepeats } = LAYOUTS[layout];
  const neededCounts = countControls(size);
  const problems: PlanProblem[] = [];
  for (const role of ['positive_control', 'negative_control', 'blank'] as const) {
    const count = wells.filter((well) => well.role === role).length;
    if (count >= neededCounts[role]) continue;
    const message = `Plate ${name} has ${formatCount(count, 'well')} of ${ROLE_WORDS[role]}, and its layout needs ${neededCounts[role]}: put one into an empty well.`;
    problems.push(createProblem('control_too_few', message, { plate: name }));
  }
  if (standardRepeats === 0) return problems;
  for (const level of controls.standard?.concentrationsM ?? []) {
    const isLevel = (well: PlannedWell): boolean => well.role === 'standard' && well.concentrationM === level;
    const count = wells.filter(isLevel).length;
    if (count >= standardRepeats) continue;
    const message = `Plate ${name} has the standard of ${formatConcentration(level)} in ${formatCount(count, 'well')}, and its layout needs ${standardRepeats}: put it into an empty well.`;
    problems.push(createProblem('control_too_few', message, { plate: name }));
  }
  return problems;
}

function findColumnProblems({ name, wells }: PlannedPlate): PlanProblem[] {
  const getColumn = ({ well }: PlannedWell): string => well.slice(1);
  const samples = wells.filter(({ role }) => role === 'sample');
  const withReference = new Set(wells.filter(({ role }) => role === 'reference').map(getColumn));
  const bare = [...new Set(samples.map(getColumn))].filter((column) => !withReference.has(column));
  const series = Map.groupBy(samples, ({ sample, replicate }) => JSON.stringify([sample, replicate]));
  const split = [...series.values()].filter((each) => new Set(each.map(getColumn)).size > 1);
  return [
    ...bare.map((column) =>
      createProblem(
        'reference_missing',
        `Column ${column} of plate ${name} has no reference sensor: put one into it.`,
        { plate: name },
      ),
    ),
    ...split.flatMap(([first]) => (first === undefined ? [] : [createSplitProblem(first, 'columns', name)])),
  ];
}

function findSplitSeries({ plates }: RunPlan): PlanProblem[] {
  const seen = new Map<string, string>();
  const problems = new Map<string, PlanProblem>();
  for (const { name, wells } of plates)
    for (const well of wells.filter(({ role }) => role === 'sample')) {
      const key = JSON.stringify([well.sample, well.replicate]);
      if ((seen.get(key) ?? name) !== name) problems.set(key, createSplitProblem(well, 'plates', name));
      seen.set(key, name);
    }
  return [...problems.values()];
}

function createSplitProblem({ sample, replicate }: PlannedWell, over: string, plate: string): PlanProblem {
  const message = `Replicate ${replicate} of ${sample} stands in several ${over}, and its concentrations are measured together: move its wells into one.`;
  return createProblem('series_split', message, { plate });
}

/** Replicates side by side, or all in one column, share what goes wrong there. */
function findSpreadProblems({ size }: RunPlan, { name, wells }: PlannedPlate): PlanProblem[] {
  const samples = wells.filter(({ role }) => role === 'sample');
  const groups = Map.groupBy(samples, ({ sample }) => sample);
  return [...groups].flatMap(([sample, own]) => {
    const places = own.flatMap(({ well }) => locateWellOn(size, well) ?? []);
    const problems: PlanProblem[] = [];
    const touches = places.some((one, index) =>
      places.slice(index + 1).some((other) => isAdjacent(one, other)),
    );
    if (touches) {
      const message = `Replicates of ${sample} stand side by side on plate ${name}: move one away.`;
      problems.push(createProblem('replicates_adjacent', message, { plate: name, severity: 'warning' }));
    }
    if (places.length > 1 && new Set(places.map(({ column }) => column)).size === 1) {
      const message = `All replicates of ${sample} on plate ${name} stand in one column: move one to another.`;
      problems.push(createProblem('replicates_one_column', message, { plate: name, severity: 'warning' }));
    }
    return problems;
  });
}
