/** Reads the designs of an order form: pasted text and files, what is ticked beside them, and what is wrong. */
import { createHash } from 'node:crypto';
import { Failure, type Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import type { FilesFormContext, FormContext, PortalContext } from '#ui/context.ts';
import { parseNumber } from '#ui/amount.ts';
import { nameBox } from '#ui/form.ts';
import { getField, type Form } from '#ui/http.ts';
import type { SmallFile } from '#ui/upload-form.ts';
import { checkDesigns } from '../../sequences/contract.ts';
import { CONCENTRATIONS_DEFAULT_NM } from '../rules.ts';
import { writeSequences } from '../../sequences/write-sequences.ts';

type Answer = Output<typeof checkDesigns>;

export interface FormDesign extends Omit<Answer['designs'][number], 'control'> {
  readonly control: boolean;
  /** Whether the order leaves it out. */
  readonly isOut: boolean;
}

export interface FormDesigns {
  readonly designs: readonly FormDesign[];
  /** Of the designs that are not left out, and of lines and files that cannot be read. */
  readonly problems: readonly Problem[];
  readonly hasDna: boolean;
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  /** Files whose columns have to be chosen. */
  readonly files: Answer['files'];
  /** Why nothing was read. */
  readonly failure: Failure | null;
}

export interface DesignsContext extends FormContext {
  readonly designs: FormDesigns;
}

/** Rows of the table in the form, each with its boxes. */
export const FORM_ROWS_MAX = 200;
const PASTED = 'Text';
export const CONTROL_BOX = 'control';
export const OUT_BOX = 'out';
export const SHOWN_FIELD = 'shown_designs';

const NOTHING: FormDesigns = {
  designs: [],
  problems: [],
  hasDna: false,
  notes: [],
  warnings: [],
  files: [],
  failure: null,
};

/** Names the text for which a table was shown: its boxes say everything of the rows of that text. */
export const computeShown = (text: string): string =>
  createHash('sha256').update(text.replaceAll(/\r\n?/g, '\n')).digest('hex').slice(0, 16);

/** Reads text and files; the designs of files become part of the text, so that the form keeps them. */
export async function prepareDesigns(received: FilesFormContext): Promise<DesignsContext> {
  const { files } = received;
  const form = takeChoice(received.form);
  const context = { ...received, form };
  const designs = await readDesigns(context, form, files);
  const keepsText =
    files.length === 0 || designs.failure !== null || designs.problems.some(({ path }) => path === LOST);
  if (keepsText) return { ...context, designs };
  const text = writeSequences(
    designs.designs.map(({ metadata, ...design }) => ({ ...design, metadata: metadata ?? null })),
  );
  return { ...context, designs, form: { ...form, sequences: text, [SHOWN_FIELD]: computeShown(text) } };
}

/** Path of a problem of a row that no text can keep. */
const LOST = 'files';

export async function readDesigns(
  { api }: Pick<PortalContext, 'api'>,
  form: Form,
  files: readonly SmallFile[] = [],
): Promise<FormDesigns> {
  const text = form.sequences ?? '';
  const sources = [
    ...(text.trim() === '' ? [] : [{ name: PASTED, text, columns: readColumns(form) }]),
    ...files.map(({ name, bytes }) => ({
      name: name.slice(-200),
      base64: Buffer.from(bytes).toString('base64'),
    })),
  ];
  if (sources.length === 0) return NOTHING;
  const body = {
    files: sources,
    translate: getField(form, 'translate') !== '',
    except: getField(form, 'code'),
  };
  try {
    return readAnswer(await api.call(checkDesigns, { body }), form, files.length > 0);
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error;
    return { ...NOTHING, failure: error };
  }
}

/** The columns that a person chose for a pasted table. */
function readColumns(form: Form): { name?: string; sequence?: string } {
  const [name, sequence] = [getField(form, 'column_name'), getField(form, 'column_sequence')];
  return { ...(name !== '' && { name }), ...(sequence !== '' && { sequence }) };
}

function readAnswer(answer: Answer, form: Form, hasFiles: boolean): FormDesigns {
  const isShown = getField(form, SHOWN_FIELD) === computeShown(form.sequences ?? '');
  const isTicked = (box: string, name: string): boolean => form[nameBox(box, name)] === 'yes';
  const designs = answer.designs.map((design, index) => {
    const { name, control, file } = design;
    const hasBox = isShown && file === PASTED && index < FORM_ROWS_MAX;
    return {
      ...design,
      control: isTicked(CONTROL_BOX, name) || (control && !hasBox),
      isOut: isTicked(OUT_BOX, name),
    };
  });
  const out = new Set(designs.filter(({ isOut }) => isOut).map(({ name }) => name));
  const problems = answer.problems
    .filter(({ sequence }) => sequence === null || !out.has(sequence))
    .map((problem) => ({
      path: hasFiles && problem.file === PASTED && problem.sequence === null ? LOST : 'sequences',
      message: writeProblem(problem),
    }));
  return {
    designs,
    problems,
    hasDna: answer.problems.some(({ kind }) => kind === 'dna'),
    notes: answer.notes,
    warnings: answer.warnings,
    files: answer.files,
    failure: null,
  };
}

function writeProblem({ file, line, column, message, sequence }: Answer['problems'][number]): string {
  const named = sequence === null || message.includes(sequence) ? message : `${sequence}: ${message}`;
  if (file === PASTED) return `line ${line}: ${named}`;
  return `${file}, ${column === null ? `line ${line}` : `row ${line}, column ${column}`}: ${named}`;
}

/** Doses by the expected KD, as the usual series stands around 100 nM. */
const USUAL_KD_NM = 100;
const DIGITS = 4;

/** Takes what a button of the form chooses: a target that was found, or doses around the expected KD. */
function takeChoice(form: Form): Form {
  const [target, kdNm] = [getField(form, 'choose_target'), parseNumber(getField(form, 'expected_kd_nm'))];
  if (target !== '') return { ...form, target_id: target, target_search: '' };
  if (getField(form, 'intent') !== 'propose' || typeof kdNm !== 'number' || !(kdNm > 0)) return form;
  const doses = CONCENTRATIONS_DEFAULT_NM.map((nM) =>
    Number(((nM * kdNm) / USUAL_KD_NM).toPrecision(DIGITS)),
  );
  return { ...form, antigen_concentrations: doses.join(', ') };
}
