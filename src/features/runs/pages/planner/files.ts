/** Downloads of a plate: maps and lists at once, worklists with what their robot needs. */
import { toMolar } from '#core/number-words.ts';
import { formatWell, listPlaces } from '#core/wells.ts';
import { getField, type Form, sendAttachment } from '#ui/http.ts';
import type { PlanState } from './plan-state.ts';
import { listRunFileKinds } from '../../run-files/formats.ts';
import { readFilled, renderFormField, type LabField } from '#ui/form.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { FILES } from './words.ts';
import type { FastifyReply } from 'fastify';
import { Failure } from '#core/failures.ts';
import type { FormContext } from '#ui/context.ts';

const SOURCE_SIZE = 96;

/** What a robot has to know; fields of a row stand beside each other. */
const ROWS: readonly (readonly LabField[])[] = [
  [{ name: 'volume_ul', label: 'Volume of each transfer in µL', value: '10' }],
  [{ name: 'liquid_class', label: 'Liquid class', hint: 'Tecan' }],
  [
    { name: 'source_type', label: 'Type of source plates', hint: 'Echo' },
    { name: 'destination_type', label: 'Type of this plate', hint: 'Echo' },
  ],
  [
    { name: 'source_labware', label: 'Labware of the sources', hint: 'Opentrons' },
    { name: 'source_slot', label: 'Its slot', hint: 'Opentrons', value: '1' },
  ],
  [
    { name: 'destination_labware', label: 'Labware of this plate', hint: 'Opentrons' },
    { name: 'destination_slot', label: 'Its slot', hint: 'Opentrons', value: '2' },
  ],
  [
    {
      name: 'aspiration_height_mm',
      label: 'Height above the bottom of a source well in mm',
      hint: 'Opentrons',
      value: '1',
    },
  ],
];
const REPORTER: LabField = {
  name: 'reporter',
  label: 'Reporter dye',
  hint: 'QuantStudio',
  value: 'SYPRO Orange',
};
const FIELDS = [...ROWS.flat(), REPORTER];

export interface FileDraft {
  /** The fields, as they were typed. */
  readonly fields: Form;
  /** Why no file was written. */
  readonly problems: readonly string[];
}

/** Proposes that the samples of the plan stand one after another, down the columns of source plates. */
export function createFileDraft({ plan }: Pick<PlanState, 'plan'>): FileDraft {
  const samples = new Set(plan.plates.flatMap(({ wells }) => wells.map(({ sample }) => sample)));
  const places = listPlaces(SOURCE_SIZE).map(formatWell);
  const lines = [...samples]
    .filter((sample) => sample !== '')
    .map((sample, index) => {
      const plate = `S${Math.floor(index / SOURCE_SIZE) + 1}`;
      return `${sample}, ${plate}, ${SOURCE_SIZE}, ${places[index % SOURCE_SIZE] ?? ''}`;
    });
  const values = Object.fromEntries(FIELDS.map(({ name, value = '' }) => [name, value]));
  return { fields: { ...values, sources: lines.join('\n') }, problems: [] };
}

/** Builds the members of the request that a file of this kind needs, and finds rows that are no source. */
function buildFileRequest(kind: string, form: Form): { body: object; problems: string[] } {
  if (['plate_list', 'plate_blocks', 'loading_list'].includes(kind)) return { body: {}, problems: [] };
  if (kind === 'quantstudio_setup') return { body: readFilled(form, ['reporter']), problems: [] };
  const read = (name: string): string => getField(form, name);
  const { sources, problems } = readSources(read('sources'));
  const dispensing = { sources, volume_ul: Number(read('volume_ul')) };
  if (kind === 'tecan_worklist')
    return { body: { ...dispensing, ...readFilled(form, ['liquid_class']) }, problems };
  if (kind === 'echo_pick_list') {
    const [source, destination] = [read('source_type'), read('destination_type')];
    const body = source === '' || destination === '' ? {} : { plate_types: { source, destination } };
    return { body: { ...dispensing, ...body }, problems };
  }
  if (kind !== 'opentrons_csv') return { body: dispensing, problems };
  const deck = {
    ...readFilled(form, ['source_labware', 'destination_labware']),
    source_slot: Number(read('source_slot')),
    aspiration_height_mm: Number(read('aspiration_height_mm')),
    destination_slot: Number(read('destination_slot')),
  };
  const isNamed = 'source_labware' in deck && 'destination_labware' in deck;
  return { body: { ...dispensing, ...(isNamed ? { deck } : {}) }, problems };
}

function readSources(text: string): { sources: object[]; problems: string[] } {
  const problems: string[] = [];
  const lines = text.split('\n').map((line) => line.trim());
  const sources = lines.flatMap((line, index) => {
    if (line === '') return [];
    // A name may hold commas: the other cells are counted from the end.
    const match =
      /^(.+?)\s*,\s*([^,]+?)\s*,\s*(96|384)\s*,\s*([A-P]\d{1,2})\s*(?:,\s*([\d.eE+-]+)\s*)?$/.exec(line);
    const [, sample, plate, size, well, level] = match ?? [];
    const valueNm = level === undefined ? null : Number(level);
    if (match === null || Number.isNaN(valueNm)) {
      problems.push(
        `Row ${index + 1} of the sources, “${line.slice(0, 80)}”, is none of the form “design-1, S1, 96, A1”: mend it.`,
      );
      return [];
    }
    const concentration = valueNm === null ? null : toMolar(valueNm);
    return { sample, plate, size: Number(size), well, concentration_m: concentration };
  });
  return { sources, problems };
}

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
  const renderText = ({ name, label, hint }: LabField): Markup =>
    renderFormField({
      name,
      label,
      hint,
      problems: [],
      renderControl: (attributes) =>
        markup`<input type="text" ${attributes} form="${FORM}" value="${draft.fields[name] ?? ''}" maxlength="300" autocomplete="off">`,
    });
  const renderRow = (row: readonly LabField[]): Markup =>
    row.length > 1 ? markup`<div class="row">${row.map(renderText)}</div>` : markup`${row.map(renderText)}`;
  return markup`${renderFormField({
    name: 'sources',
    label: 'Where the samples stand',
    hint: 'A row each: sample, plate, wells of the plate, well, and the concentration in nM where it counts.',
    problems: [],
    renderControl: (attributes) =>
      markup`<textarea ${attributes} form="${FORM}" rows="6" spellcheck="false">
${draft.fields['sources'] ?? ''}</textarea>`,
  })}
${ROWS.map(renderRow)}
${hasSetup && renderText(REPORTER)}`;
}

interface WrittenFile {
  readonly file_name: string;
  readonly media_type: string;
  readonly content: string;
}

/** Sends the file that the form asks for; returns the form with the reasons where none can be written. */
export async function sendPlateFile(
  { form, reply }: FormContext,
  write: (body: Readonly<Record<string, unknown>>) => Promise<WrittenFile>,
): Promise<FastifyReply | FileDraft> {
  const kind = getField(form, 'kind');
  const { body, problems } = buildFileRequest(kind, form);
  if (problems.length > 0) return { fields: form, problems };
  try {
    const file = await write({ plate: getField(form, 'shown'), kind, ...body });
    return sendAttachment(reply, {
      fileName: file.file_name,
      contentType: file.media_type,
      content: file.content,
    });
  } catch (error) {
    if (!(error instanceof Failure) || ![400, 422].includes(error.status)) throw error;
    const sentences = error.problems.map(({ path, message }) =>
      error.code === 'invalid_request' ? `${path} ${message}` : message,
    );
    return { fields: form, problems: sentences.length === 0 ? [error.message] : sentences };
  }
}

export function isFileDraft(sent: FastifyReply | FileDraft): sent is FileDraft {
  return 'fields' in sent;
}
