/** Downloads of a plate: maps and lists at once, worklists with what their robot needs. */
import { listRunFileKinds } from '../../run-files/formats.ts';
import { renderFormField } from '#ui/form-field.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { FileDraft } from './files-form.ts';
import type { PlanState } from './plan-state.ts';
import { FILES } from './words.ts';

/** The one form of the page; controls outside it name it. */
export const PLAN_FORM = 'plan-form';
const FORM = PLAN_FORM;

/** `path` is the address that the downloads are sent to. */
export function renderFilesCard(
  { plan }: Pick<PlanState, 'plan'>,
  plate: string,
  draft: FileDraft,
  path: string,
): Markup {
  const renderDownload = (kind: string): Markup =>
    markup`<button form="${FORM}" formaction="${path}" name="kind" value="${kind}">${FILES[kind] ?? kind}</button>`;
  const kinds = listRunFileKinds(plan);
  const plain = kinds.filter((kind) => !isWorklist(kind) && kind !== 'quantstudio_setup');
  const worklists = kinds.filter((kind) => isWorklist(kind) || kind === 'quantstudio_setup');
  const problem =
    draft.problems.length > 0 &&
    markup`<div class="note attention" role="alert"><ul>${draft.problems.slice(0, 20).map((message) => markup`<li>${message}</li>`)}</ul></div>`;
  return markup`<section class="card stack" data-live-keep aria-labelledby="files"><h2 id="files">Files of ${plate}</h2>${problem}
<div class="downloads">${plain.map(renderDownload)}</div>
<details${draft.problems.length > 0 && markup` open`}><summary>Worklists for robots</summary><div class="fields">
${renderWorklistFields(draft, kinds.includes('quantstudio_setup'))}<div class="downloads">${worklists.map(renderDownload)}</div></div></details></section>`;
}

function isWorklist(kind: string): boolean {
  return ['tecan_worklist', 'echo_pick_list', 'hamilton_worklist', 'opentrons_csv'].includes(kind);
}

function renderWorklistFields(draft: FileDraft, hasSetup: boolean): Markup {
  const renderText = (name: keyof FileDraft['fields'], label: string, hint?: string): Markup =>
    renderFormField({
      name,
      label,
      hint,
      problems: [],
      renderControl: (attributes) =>
        markup`<input type="text" ${attributes} form="${FORM}" value="${draft.fields[name]}" maxlength="300" autocomplete="off">`,
    });
  return markup`${renderFormField({
    name: 'sources',
    label: 'Where the samples stand',
    hint: 'A row each: sample, plate, wells of the plate, well, and the concentration in nM where it counts.',
    problems: [],
    renderControl: (attributes) =>
      markup`<textarea ${attributes} form="${FORM}" rows="6" spellcheck="false">
${draft.fields.sources}</textarea>`,
  })}
${renderText('volume_ul', 'Volume of each transfer in µL')}
${renderText('liquid_class', 'Liquid class', 'Tecan')}
<div class="row">${renderText('source_type', 'Type of source plates', 'Echo')}${renderText('destination_type', 'Type of this plate', 'Echo')}</div>
<div class="row">${renderText('source_labware', 'Labware of the sources', 'Opentrons')}${renderText('source_slot', 'Its slot', 'Opentrons')}</div>
<div class="row">${renderText('destination_labware', 'Labware of this plate', 'Opentrons')}${renderText('destination_slot', 'Its slot', 'Opentrons')}</div>
${renderText('aspiration_height_mm', 'Height above the bottom of a source well in mm', 'Opentrons')}
${hasSetup && renderText('reporter', 'Reporter dye', 'QuantStudio')}`;
}
