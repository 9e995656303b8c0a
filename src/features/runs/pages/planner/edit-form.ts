/** Reads what the form asks to edit, and makes it. */
import type { WellContent } from '../../plan-schemas.ts';
import { plannedRoles } from '../../plan.ts';
import { getField, type Form } from '#ui/http.ts';
import {
  clearWells,
  fillWell,
  swapWells,
  takeEditsBack,
  type Address,
  type Edited,
  type Editor,
} from './edit-wells.ts';
import type { PlanState } from './plan-state.ts';

/** Wells that one press marks empty; each is an edit of its own. */
const CLEARED_MAX = 24;
const NM_PER_M = 1e9;
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
    concentration_m: levelNm === null ? null : Number((levelNm / NM_PER_M).toPrecision(12)),
    experiment_id: role === 'sample' && sampleOfPlan !== undefined ? sampleOfPlan.experiment_id : null,
    sequence_id: role === 'sample' && sampleOfPlan !== undefined ? sampleOfPlan.sequence_id : null,
  };
}
