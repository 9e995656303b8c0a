/** Edits of the plan on a page: one or several wells at once, each of which can be undone. */
import type { EditInput } from '#domain/runs/contract.ts';
import { editRunPlan, type WellContent } from '#domain/runs/contract.ts';
import type { Caller } from '../../caller.ts';
import { UNDO_MAX, type PlanState } from './plan-state.ts';

export interface Address {
  readonly plate: string;
  readonly well: string;
}

export type Edited =
  | { readonly state: PlanState; readonly done: string }
  /** Nothing was edited, and why. */
  | { readonly state: PlanState; readonly refusal: string };

type PlannedWell = PlanState['plan']['plates'][number]['wells'][number];

function findWell({ plan }: PlanState, { plate, well }: Address): PlannedWell | undefined {
  return plan.plates.find(({ name }) => name === plate)?.wells.find((each) => each.well === well);
}

/** Lets two wells change places; one of them may be empty. */
export function swapWells(api: Caller, state: PlanState, one: Address, other: Address): Promise<Edited> {
  const isSecondEmpty = findWell(state, other) === undefined;
  const isFirstEmpty = findWell(state, one) === undefined;
  if (isSecondEmpty) return makeEdits(api, state, [{ kind: 'move', from: one, to: other }], 'Moved');
  if (isFirstEmpty) return makeEdits(api, state, [{ kind: 'move', from: other, to: one }], 'Moved');
  return makeEdits(api, state, [{ kind: 'swap', one, other }], 'Swapped');
}

/** Marks those of the wells empty that are filled. */
export async function clearWells(api: Caller, state: PlanState, wells: readonly Address[]): Promise<Edited> {
  const filled = wells.filter((at) => findWell(state, at) !== undefined);
  const chosen = filled.length > 0 ? filled : wells.slice(0, 1);
  return makeEdits(
    api,
    state,
    chosen.map((at) => ({ kind: 'empty', at })),
    'Marked empty:',
  );
}

export function fillWell(api: Caller, state: PlanState, at: Address, content: WellContent): Promise<Edited> {
  return makeEdits(api, state, [{ kind: 'exchange', at, content }], 'Filled');
}

/** Takes back the latest group of edits. */
export async function takeEditsBack(api: Caller, state: PlanState): Promise<Edited> {
  const group = state.undo.at(-1);
  if (group === undefined) return { state, refusal: 'There is nothing to undo.' };
  const undone = await makeEdits(api, state, group, 'Undone:');
  if ('refusal' in undone) return undone;
  return { ...undone, state: { ...undone.state, undo: state.undo.slice(0, -1) } };
}

/** Makes all edits or none. */
async function makeEdits(
  api: Caller,
  before: PlanState,
  edits: readonly EditInput[],
  verb: string,
): Promise<Edited> {
  let state = before;
  const inverse: EditInput[] = [];
  for (const edit of edits) {
    const { request, plan } = state;
    const { is_edited: isEdited, ...answer } = await api.call(editRunPlan, {
      body: { request, plan, edit },
    });
    if (!isEdited)
      return { state: before, refusal: answer.problems[0]?.message ?? 'The edit cannot be made.' };
    inverse.unshift(invertEdit(state, edit));
    state = { ...state, ...answer };
  }
  const undo = [...before.undo, inverse].slice(-UNDO_MAX);
  return { state: { ...state, undo }, done: `${verb} ${edits.map(nameWells).join(', ')}.` };
}

function invertEdit(before: PlanState, edit: EditInput): EditInput {
  if (edit.kind === 'swap') return edit;
  if (edit.kind === 'move') return { kind: 'move', from: edit.to, to: edit.from };
  const former = findWell(before, edit.at);
  if (former === undefined) return { kind: 'empty', at: edit.at };
  const { well: _well, order: _order, ...content } = former;
  return { kind: 'exchange', at: edit.at, content };
}

function nameWells(edit: EditInput): string {
  if (edit.kind === 'move') return `${edit.from.well} to ${edit.to.well}`;
  return edit.kind === 'swap' ? `${edit.one.well} and ${edit.other.well}` : edit.at.well;
}
