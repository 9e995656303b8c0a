/** Edits of a plan by hand. What the edited plan then lacks is named by `findPlanProblems`. */
import { countDownColumns, locateWellOn, formatWell, countAlongRows, type PlateSize } from '#core/wells.ts';
import { LAYOUTS } from './layouts.ts';
import { createProblem } from './plan.ts';
import type { PlannedContent, PlannedPlate, PlannedWell, PlanProblem, RunPlan } from './plan.ts';

export interface WellAddress {
  readonly plate: string;
  readonly well: string;
}

export type PlanEdit =
  /** Moves the content of a well to an empty one. */
  | { readonly kind: 'move'; readonly from: WellAddress; readonly to: WellAddress }
  /** Lets two filled wells change places. */
  | { readonly kind: 'swap'; readonly one: WellAddress; readonly other: WellAddress }
  /** Puts other content into a well, filled or empty. */
  | { readonly kind: 'exchange'; readonly at: WellAddress; readonly content: PlannedContent }
  | { readonly kind: 'empty'; readonly at: WellAddress };

export type EditedPlan = { readonly plan: RunPlan } | { readonly problems: readonly PlanProblem[] };

/** Returns the edited plan; the plan given stays as it is. Names what keeps the edit from being made. */
export function editPlan(plan: RunPlan, edit: PlanEdit): EditedPlan {
  const wells = new WellsOfPlan(plan);
  const addresses = listAddresses(edit);
  const problems = addresses.flatMap((address) => wells.findAddressProblem(address));
  if (problems.length > 0) return { problems };
  const refused = applyEdit(wells, edit);
  return refused === null ? { plan: { ...plan, plates: wells.listPlates() } } : { problems: [refused] };
}

function listAddresses(edit: PlanEdit): WellAddress[] {
  if (edit.kind === 'move') return [edit.from, edit.to];
  return edit.kind === 'swap' ? [edit.one, edit.other] : [edit.at];
}

function applyEdit(wells: WellsOfPlan, edit: PlanEdit): PlanProblem | null {
  if (edit.kind === 'exchange') {
    wells.set(edit.at, edit.content);
    return null;
  }
  if (edit.kind === 'empty') {
    if (wells.find(edit.at) === undefined) return createEmptyProblem(edit.at);
    wells.set(edit.at, undefined);
    return null;
  }
  const [one, other] = edit.kind === 'move' ? [edit.from, edit.to] : [edit.one, edit.other];
  const first = wells.find(one);
  const second = wells.find(other);
  if (first === undefined) return createEmptyProblem(one);
  if (edit.kind === 'swap' && second === undefined) return createEmptyProblem(other);
  if (edit.kind === 'move' && second !== undefined) {
    const message = `${formatAddress(other)} is filled: mark it empty first, or swap the two wells.`;
    return createProblem('well_taken', message, other);
  }
  wells.set(one, second);
  wells.set(other, first);
  return null;
}

function createEmptyProblem(address: WellAddress): PlanProblem {
  return createProblem(
    'well_empty',
    `${formatAddress(address)} is empty: choose a filled well, or put content into it.`,
    address,
  );
}

function formatAddress({ plate, well }: WellAddress): string {
  return `Well ${well} of plate ${plate}`;
}

/** The wells of a plan by plate and place. */
class WellsOfPlan {
  readonly #plan: RunPlan;
  readonly #plates: Map<string, Map<string, PlannedContent>>;

  constructor(plan: RunPlan) {
    this.#plan = plan;
    this.#plates = new Map(
      plan.plates.map(({ name, wells }) => [
        name,
        new Map(wells.map((well) => [well.well, getContent(well)])),
      ]),
    );
  }

  find({ plate, well }: WellAddress): PlannedContent | undefined {
    return this.#plates.get(plate)?.get(formatOn(this.#plan.size, well));
  }

  set({ plate, well }: WellAddress, content: PlannedContent | undefined): void {
    const name = formatOn(this.#plan.size, well);
    if (content === undefined) this.#plates.get(plate)?.delete(name);
    else this.#plates.get(plate)?.set(name, content);
  }

  findAddressProblem(address: WellAddress): PlanProblem[] {
    const { plate, well } = address;
    if (!this.#plates.has(plate)) {
      const message = `The plan has no plate ${plate}: choose ${[...this.#plates.keys()].join(', ')}.`;
      return [createProblem('plate_unknown', message, address)];
    }
    if (locateWellOn(this.#plan.size, well) !== null) return [];
    const message = `${formatAddress(address)} is outside a plate of ${this.#plan.size} wells: choose a well such as A1.`;
    return [createProblem('well_outside_plate', message, address)];
  }

  /** Sorts the wells, and numbers cycles and capillaries anew: their order follows their places. */
  listPlates(): PlannedPlate[] {
    const { size, layout } = this.#plan;
    const { arrangement } = LAYOUTS[layout];
    const isOrdered = arrangement === 'cycles' || arrangement === 'capillaries';
    return [...this.#plates].map(([name, wells]) => ({
      name,
      wells: [...wells]
        .map(([well, content]) => ({ well, content, number: countToWell(size, well, isOrdered) }))
        .toSorted((a, b) => a.number - b.number)
        .map(({ well, content }, index): PlannedWell => ({
          well,
          order: isOrdered ? index + 1 : null,
          ...content,
        })),
    }));
  }
}

function getContent(well: PlannedWell): PlannedContent {
  const { role, sample, replicate, concentrationM, experimentId, sequenceId } = well;
  return { role, sample, replicate, concentrationM, experimentId, sequenceId };
}

function formatOn(size: PlateSize, well: string): string {
  const place = locateWellOn(size, well);
  return place === null ? well : formatWell(place);
}

function countToWell(size: PlateSize, well: string, alongRows: boolean): number {
  const place = locateWellOn(size, well) ?? { row: 0, column: 0 };
  return alongRows ? countAlongRows(size, place) : countDownColumns(size, place);
}
