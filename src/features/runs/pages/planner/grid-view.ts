/** A plate of a plan: as a grid of wells, and as a table for narrow screens. */
import { formatWell, PLATE_SHAPES } from '#core/wells.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { PlanState } from './plan-state.ts';
import { describeContent, formatLevel, ROLES } from './words.ts';

type Plate = PlanState['plan']['plates'][number];
type Well = Plate['wells'][number];

/** Letters of a name that fit into a well of 96. */
const NAME_LENGTH_SHOWN = 6;

export interface PlateView {
  readonly plate: Plate;
  readonly size: 96 | 384;
  /** Wells that a problem names. */
  readonly flagged: ReadonlySet<string>;
}

/** Renders rows and columns of a plate. The script of the page makes it a grid with keys. */
export function renderPlate(view: PlateView): Markup {
  const { plate, size } = view;
  const { rows, columns } = PLATE_SHAPES[size];
  const wells = new Map(plate.wells.map((well) => [well.well, well]));
  const shorten = createNameShortener(plate.wells.map(({ sample }) => sample));
  const heads = listNumbers(columns).map((column) => markup`<th scope="col">${column + 1}</th>`);
  const body = listNumbers(rows).map((row) => {
    const cells = listNumbers(columns).map((column) => {
      const name = formatWell({ row, column });
      return renderWell(name, wells.get(name), view, shorten);
    });
    return markup`<tr><th scope="row">${formatWell({ row, column: 0 }).slice(0, 1)}</th>${cells}</tr>`;
  });
  return markup`<div class="scroll plate-frame"><table class="plate wells-${size}" data-plate="${plate.name}" aria-label="Plate ${plate.name}, ${size} wells"><thead><tr><td></td>${heads}</tr></thead><tbody>
${body}</tbody></table></div>`;
}

function renderWell(
  name: string,
  well: Well | undefined,
  { size, flagged }: PlateView,
  shorten: (sample: string) => string,
): Markup {
  const mark = flagged.has(name) ? ', has a problem' : '';
  const flag = flagged.has(name) && ' flagged';
  if (well === undefined)
    return markup`<td class="well vacant${flag}" data-well="${name}" aria-label="${name}, empty${mark}"></td>`;
  const [letter] = ROLES[well.role];
  const content = describeContent(well);
  const shortName = size === 96 && markup` data-name="${shorten(well.sample)}"`;
  return markup`<td class="well ${well.role}${flag}" data-well="${name}" aria-label="${name}, ${content}${mark}" title="${name}: ${content}"${shortName}><span class="letter">${letter}</span></td>`;
}

/** A plan of several orders puts the code of the order before the name. */
const dropCode = (sample: string): string => sample.replace(/^\S+-\d{3}-\d{3} /, '');
const isShort = (name: string): boolean => name.length <= NAME_LENGTH_SHOWN;
const keepEnd = (name: string): string => (isShort(name) ? name : `…${name.slice(1 - NAME_LENGTH_SHOWN)}`);
const keepStart = (name: string): string =>
  isShort(name) ? name : `${name.slice(0, NAME_LENGTH_SHOWN - 1)}…`;

/** The end of a name tells the designs of a series apart; where the beginnings tell more names apart, these are kept. */
export function createNameShortener(samples: Iterable<string>): (sample: string) => string {
  const names = [...new Set([...samples].map(dropCode))];
  const countDistinct = (shorten: (name: string) => string) => new Set(names.map(shorten)).size;
  const shorten = countDistinct(keepStart) > countDistinct(keepEnd) ? keepStart : keepEnd;
  return (sample) => shorten(dropCode(sample));
}

/** Renders the filled wells as rows; a narrow screen shows them in place of the grid. */
export function renderWellTable({ plate, flagged }: PlateView): Markup {
  const rows = plate.wells.map(
    (
      well,
    ) => markup`<tr><th scope="row">${well.well}${flagged.has(well.well) && markup` <span class="flag">has a problem</span>`}</th>
<td>${ROLES[well.role][0]} <span class="muted">${ROLES[well.role][1]}</span></td>
<td><bdi>${well.sample}</bdi><span class="sub">replicate ${well.replicate}${well.concentration_m !== null && `, ${formatLevel(well.concentration_m)}`}</span></td></tr>`,
  );
  return markup`<table class="well-table" aria-label="Wells of plate ${plate.name}"><thead><tr><th scope="col">Well</th><th scope="col">Role</th><th scope="col">Content</th></tr></thead><tbody>${rows}</tbody></table>`;
}

export function renderLegend(plate: Plate): Markup {
  const present = new Set(plate.wells.map(({ role }) => role));
  const items = Object.entries(ROLES)
    .filter(([role]) => [...present].some((each) => each === role))
    .map(
      ([role, [letter, words]]) =>
        markup`<li><span class="well ${role}" aria-hidden="true">${letter}</span> <span><span class="visually-hidden">${letter}: </span>${words}</span></li>`,
    );
  return markup`<ul class="legend" aria-label="Letters">${items}</ul>`;
}

function listNumbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
