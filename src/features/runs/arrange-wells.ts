/** Wells that may stand anywhere, and wells that are drawn into capillaries in their order. */
import type { Steps } from '#core/slices.ts';
import { countDownColumns, formatWell, listPlaces, countAlongRows, type WellPlace } from '#core/wells.ts';
import { createPlateWords, createSite, formatPlateName, isEdge } from './arrangement.ts';
import type { Arrangement, ArrangementInput } from './arrangement.ts';
import { spreadMembers } from './balance.ts';
import type { Member, Site } from './balance.ts';
import type { Layout } from './layouts.ts';
import { createProblem, createTooManyWells, WELLS_MAX } from './plan.ts';
import type { PlannedContent, PlannedPlate, PlannedWell, PlanRequest } from './plan.ts';
import { createLabContent, createSampleContent } from './preparations.ts';

const CAPILLARIES = 48;
/** The sample name of wells with buffer and of wells without protein. */
const BLANK = 'Buffer';

interface WellMember extends Member {
  readonly content: PlannedContent;
}

export function* arrangeWells({ request, layout, preparations }: ArrangementInput): Steps<Arrangement> {
  const controls = listControlContents(request, layout);
  const places = listUsablePlaces(request, layout);
  const room = places.length - controls.length;
  if (room < 1) {
    const message = `The controls need ${controls.length} wells, and a plate of ${request.size} has ${places.length} for this layout: choose a larger plate or fewer concentrations of the standard.`;
    return { problems: [createProblem('controls_too_many', message)] };
  }
  const wells = preparations.length + Math.ceil(preparations.length / room) * controls.length;
  if (wells > WELLS_MAX) return { problems: [createTooManyWells(wells)] };
  const plates: PlannedPlate[] = [];
  for (let start = 0; start < preparations.length; start += room) {
    const samples = preparations
      .slice(start, start + room)
      .map((preparation) => createSampleContent(preparation, null));
    const name = formatPlateName(plates.length);
    plates.push({ name, wells: placeWells({ request, layout, places, name }, [...controls, ...samples]) });
    yield;
  }
  return { plates };
}

/** Controls and standards of each plate. */
function listControlContents(
  { size, controls }: PlanRequest,
  { countControls, standardRepeats }: Layout,
): PlannedContent[] {
  const { positive_control, negative_control, blank } = countControls(size);
  const repeat = (wells: number, create: (replicate: number) => PlannedContent): PlannedContent[] =>
    Array.from({ length: wells }, (_, index) => create(index + 1));
  const { positive, negatives, standard } = controls;
  return [
    ...repeat(positive === null ? 0 : positive_control, (replicate) =>
      createLabContent('positive_control', positive ?? '', replicate, null),
    ),
    // Several negative controls share the wells; each has one at least.
    ...repeat(countNegatives(negatives, negative_control), (number) =>
      createLabContent(
        'negative_control',
        negatives[(number - 1) % negatives.length] ?? '',
        Math.ceil(number / negatives.length),
        null,
      ),
    ),
    ...repeat(blank, (replicate) => createLabContent('blank', BLANK, replicate, null)),
    ...(standard?.concentrationsM ?? []).flatMap((concentrationM) =>
      repeat(standardRepeats, (replicate) =>
        createLabContent('standard', standard?.sample ?? '', replicate, concentrationM),
      ),
    ),
  ];
}

function countNegatives(negatives: readonly string[], needed: number): number {
  return needed === 0 || negatives.length === 0 ? 0 : Math.max(needed, negatives.length);
}

/** The places of a plate in the order in which they are used. */
function listUsablePlaces({ size, capillaries = CAPILLARIES }: PlanRequest, layout: Layout): WellPlace[] {
  const places = listPlaces(size);
  if (layout.arrangement === 'capillaries')
    return places
      .toSorted((one, other) => countAlongRows(size, one) - countAlongRows(size, other))
      .slice(0, capillaries);
  const inner = places.filter((place) => !isEdge(size, place));
  if (layout.innerOnly.includes(size)) return inner;
  return layout.innerOnly.length === 0
    ? places
    : [...inner, ...places.filter((place) => isEdge(size, place))];
}

function placeWells(
  {
    request,
    layout,
    places,
    name,
  }: { request: PlanRequest; layout: Layout; places: readonly WellPlace[]; name: string },
  contents: readonly PlannedContent[],
): PlannedWell[] {
  const { size } = request;
  const used = places.slice(0, contents.length);
  const sites = used.map((place): Site => createSite(size, place));
  const members = contents.map((content): WellMember => ({ ...describeContent(content), content }));
  const isOrdered = layout.arrangement === 'capillaries';
  const placed = spreadMembers(members, sites, createPlateWords(request, name));
  return used
    .flatMap((place, index) => {
      const content = placed[index]?.content;
      return content === undefined
        ? []
        : { place, well: { well: formatWell(place), order: isOrdered ? index + 1 : null, ...content } };
    })
    .toSorted((a, b) => (isOrdered ? 0 : countDownColumns(size, a.place) - countDownColumns(size, b.place)))
    .map(({ well }) => well);
}

/** Wells of one content are kept apart; samples of one experiment, and each kind of control, are spread. */
function describeContent({ role, sample, concentrationM, experimentId }: PlannedContent): Member {
  return {
    identity: JSON.stringify([role, sample, concentrationM]),
    stratum: experimentId ?? role,
    size: 1,
  };
}
