/**
 * Cycles: wells are injected one after another, along the rows. Buffer starts the instrument up; then come the controls and
 * the series, each after two cycles of buffer and from the lowest concentration up, with the positive control again
 * about every twelve cycles.
 */
import type { Steps } from '#core/slices.ts';
import { formatWell, countAlongRows, listPlaces } from '#core/wells.ts';
import { createPlateWords, formatPlateName } from './arrangement.ts';
import type { Arrangement, ArrangementInput } from './arrangement.ts';
import { spreadMembers } from './balance.ts';
import type { Member, Site } from './balance.ts';
import { createProblem } from './plan.ts';
import type { PlannedContent, PlannedPlate, PlannedWell, PlanRequest } from './plan.ts';
import { createLabContent, createSampleContent, listConcentrations } from './preparations.ts';
import type { Preparation } from './preparations.ts';

const BUFFER_CYCLES = 2;
const CYCLES_BETWEEN_CONTROLS = 12;
/** The sample name of cycles that start the instrument up. */
const START_UP = 'Buffer';

interface Series extends Member {
  readonly contents: readonly PlannedContent[];
}

export function* arrangeCycles({ request, layout, preparations }: ArrangementInput): Steps<Arrangement> {
  const series = preparations.map(createSeries);
  const first = listFirstCycles(request, layout.countControls(request.size).blank);
  const plates: PlannedPlate[] = [];
  for (let start = 0; start < series.length;) {
    const count = countFittingSeries(series.slice(start), request.size - first.length);
    if (count === 0) {
      const needed = first.length + (series[start]?.size ?? 0);
      const message = `The controls and one series need ${needed} cycles, and a plate has ${request.size} wells: choose fewer concentrations, fewer negative controls or a larger plate.`;
      return { problems: [createProblem('series_too_long', message)] };
    }
    const name = formatPlateName(plates.length);
    plates.push({ name, wells: composeCycles(request, name, first, series.slice(start, start + count)) });
    start += count;
    yield;
  }
  return { plates };
}

function createSeries(preparation: Preparation): Series {
  const { concentrationsM, id } = preparation.experiment;
  const contents = listCycles(concentrationsM).map((each) => createSampleContent(preparation, each));
  return { identity: preparation.sample, stratum: id, size: contents.length, contents };
}

function listCycles(concentrationsM: readonly number[]): number[] {
  return [...Array.from({ length: BUFFER_CYCLES }, () => 0), ...concentrationsM.toSorted((a, b) => a - b)];
}

/** Start-up, and the first replicates of all controls. */
function listFirstCycles({ controls, experiments }: PlanRequest, startUp: number): PlannedContent[] {
  const concentrations = listConcentrations(experiments);
  const { positive, negatives } = controls;
  return [
    ...Array.from({ length: startUp }, (_, index) => createLabContent('blank', START_UP, index + 1, 0)),
    ...listCycles(concentrations).map((each) =>
      createLabContent('positive_control', positive ?? '', 1, each),
    ),
    ...negatives.flatMap((sample) =>
      [0, concentrations[0] ?? 0].map((each) => createLabContent('negative_control', sample, 1, each)),
    ),
  ];
}

/** After which series a control cycle follows: whenever twelve cycles have passed since the last one. */
function listControlTurns(series: readonly Series[]): boolean[] {
  let since = 0;
  return series.map(({ size }) => {
    since += size;
    if (since < CYCLES_BETWEEN_CONTROLS) return false;
    since = 0;
    return true;
  });
}

function countFittingSeries(series: readonly Series[], room: number): number {
  let used = 0;
  const hasControl = listControlTurns(series);
  for (const [index, { size }] of series.entries()) {
    used += size + (hasControl[index] ? 1 : 0);
    if (used > room) return index;
  }
  return series.length;
}

function composeCycles(
  request: PlanRequest,
  plate: string,
  first: readonly PlannedContent[],
  series: readonly Series[],
): PlannedWell[] {
  const sites = series.map((_, column): Site => {
    const quadrant = Math.floor((4 * column) / series.length);
    return { row: 0, column, quadrant, isEdge: column === 0 || column === series.length - 1 };
  });
  const placed = spreadMembers(series, sites, createPlateWords(request, plate));
  const hasControl = listControlTurns(placed);
  const concentrations = listConcentrations(request.experiments);
  const middleM = concentrations[Math.floor(concentrations.length / 2)] ?? 0;
  let replicate = 1;
  const cycles = placed.flatMap(({ contents }, index) => {
    if (!hasControl[index]) return contents;
    replicate += 1;
    return [
      ...contents,
      createLabContent('positive_control', request.controls.positive ?? '', replicate, middleM),
    ];
  });
  const places = listPlaces(request.size).toSorted(
    (a, b) => countAlongRows(request.size, a) - countAlongRows(request.size, b),
  );
  return [...first, ...cycles].flatMap((content, index): PlannedWell[] => {
    const place = places[index];
    return place === undefined ? [] : [{ well: formatWell(place), order: index + 1, ...content }];
  });
}
