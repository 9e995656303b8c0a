/** Edits of the plan on a page: one or several wells at once, each of which can be undone. */
import { toMolar } from '#core/number-words.ts';
import { editRunPlan } from '../../contract.ts';
import type { EditInput, WellContent } from '../../plan-schemas.ts';
import type { Caller } from '#ui/caller.ts';
import { UNDO_MAX, type PlanState } from './plan-state.ts';
import { plannedRoles } from '../../plan.ts';
import { getField, type Form } from '#ui/http.ts';

/** Makes all edits or none; returns the plan after them, or the sentence that says why none was made. */
export type Editor = (state: PlanState, edits: readonly EditInput[]) => Promise<PlanState | string>;

/** Edits a plan that only the page keeps. */
export function createPlanEditor(api: Caller): Editor {
  return async (before, edits) => {
    let state = before;
    for (const edit of edits) {
      const { request, plan } = state;
      const { is_edited: isEdited, ...answer } = await api.call(editRunPlan, {
        body: { request, plan, edit },
      });
      if (!isEdited) return answer.problems[0]?.message ?? 'The edit cannot be made.';
      state = { ...state, ...answer };
    }
    return state;
  };
}

interface Address {
  readonly plate: string;
  readonly well: string;
}

type Edited =
  | { readonly state: PlanState; readonly done: string }
  /** Nothing was edited, and why. */
  | { readonly state: PlanState; readonly refusal: string };

type PlannedWell = PlanState['plan']['plates'][number]['wells'][number];

function findWell({ plan }: PlanState, { plate, well }: Address): PlannedWell | undefined {
  return plan.plates.find(({ name }) => name === plate)?.wells.find((each) => each.well === well);
}

/** Lets two wells change places; one of them may be empty. */
function swapWells(editor: Editor, state: PlanState, one: Address, other: Address): Promise<Edited> {
  const isSecondEmpty = findWell(state, other) === undefined;
  const isFirstEmpty = findWell(state, one) === undefined;
  if (isSecondEmpty) return makeEdits(editor, state, [{ kind: 'move', from: one, to: other }], 'Moved');
  if (isFirstEmpty) return makeEdits(editor, state, [{ kind: 'move', from: other, to: one }], 'Moved');
  return makeEdits(editor, state, [{ kind: 'swap', one, other }], 'Swapped');
}

/** Marks those of the wells empty that are filled. */
async function clearWells(editor: Editor, state: PlanState, wells: readonly Address[]): Promise<Edited> {
  const filled = wells.filter((at) => findWell(state, at) !== undefined);
  const chosen = filled.length > 0 ? filled : wells.slice(0, 1);
  return makeEdits(
    editor,
    state,
    chosen.map((at) => ({ kind: 'empty', at })),
    'Marked empty:',
  );
}

function fillWell(editor: Editor, state: PlanState, at: Address, content: WellContent): Promise<Edited> {
  return makeEdits(editor, state, [{ kind: 'exchange', at, content }], 'Filled');
}

/** Takes back the latest group of edits. */
async function takeEditsBack(editor: Editor, state: PlanState): Promise<Edited> {
  const group = state.undo.at(-1);
  if (group === undefined) return { state, refusal: 'There is nothing to undo.' };
  const undone = await makeEdits(editor, state, group, 'Undone:');
  if ('refusal' in undone) return undone;
  return { ...undone, state: { ...undone.state, undo: state.undo.slice(0, -1) } };
}

async function makeEdits(
  editor: Editor,
  before: PlanState,
  edits: readonly EditInput[],
  verb: string,
): Promise<Edited> {
  const after = await editor(before, edits);
  if (typeof after === 'string') return { state: before, refusal: after };
  // The edits of one press are of different wells, so that each is inverted by what stood there before all of them.
  const inverse = edits.map((edit) => invertEdit(before, edit)).toReversed();
  const undo = [...before.undo, inverse].slice(-UNDO_MAX);
  return { state: { ...after, undo }, done: `${verb} ${edits.map(nameWells).join(', ')}.` };
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

/** Wells that one press marks empty; each is an edit of its own. */
const CLEARED_MAX = 24;
const WELL = /^[A-P]([1-9]|1\d|2[0-4])$/;

export async function makeEdit(
  editor: Editor,
  form: Form,
  state: PlanState,
  { act, shown }: { readonly act: string; readonly shown: string },
): Promise<Edited> {
  if (act === 'undo') return takeEditsBack(editor, state);
  const wells = readWells(getField(form, 'well'), shown);
  const otherPlate = getField(form, 'other_plate');
  const others = readWells(getField(form, 'other'), otherPlate === '' ? shown : otherPlate);
  const [first] = wells;
  const [other] = others;
  if (first === undefined) return refuse(state, 'Name a well, such as C7.');
  const wrong = [...wells, ...(act === 'swap' ? others : [])].find(({ well }) => !WELL.test(well));
  if (wrong !== undefined) return refuse(state, `“${wrong.well}” is no well: name it as C7.`);
  if (act === 'swap') {
    if (other === undefined) return refuse(state, 'Name the other well, such as D8.');
    return swapWells(editor, state, first, other);
  }
  if (act === 'fill') {
    const content = readContent(form, state);
    return typeof content === 'string' ? refuse(state, content) : fillWell(editor, state, first, content);
  }
  if (wells.length > CLEARED_MAX)
    return refuse(state, `Mark at most ${CLEARED_MAX} wells empty at once, not ${wells.length}.`);
  return clearWells(editor, state, wells);
}

function refuse(state: PlanState, refusal: string): Edited {
  return { state, refusal };
}

function readWells(text: string, plate: string): Address[] {
  return text
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter((well) => well !== '')
    .map((well) => ({ plate, well }));
}

/** Returns the content of a well, or the sentence that says what is wrong with it. */
function readContent(form: Form, { samples }: PlanState): WellContent | string {
  const sample = getField(form, 'sample');
  const role = plannedRoles.find((each) => each === getField(form, 'role'));
  const replicate = Number(getField(form, 'replicate'));
  const levelText = getField(form, 'concentration_nm');
  const levelNm = levelText === '' ? null : Number(levelText);
  if (role === undefined) return 'Choose a role.';
  if (!Number.isInteger(replicate) || replicate < 1) return 'The replicate is a whole number from 1.';
  if (Number.isNaN(levelNm)) return `The concentration “${levelText}” is no number: give it in nM.`;
  const sampleOfPlan = samples.find((each) => each.sample === sample);
  if (role === 'sample' && sampleOfPlan === undefined)
    return `“${sample}” is no sequence of the run: choose one of its names.`;
  return {
    role,
    sample,
    replicate,
    concentration_m: levelNm === null ? null : toMolar(levelNm),
    experiment_id: role === 'sample' && sampleOfPlan !== undefined ? sampleOfPlan.experiment_id : null,
    sequence_id: role === 'sample' && sampleOfPlan !== undefined ? sampleOfPlan.sequence_id : null,
  };
}
