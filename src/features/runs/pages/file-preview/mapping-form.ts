/** The form that maps wells by hand, of an order or of a stored run. */
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { GivenEntry, type getRawFileMapping } from '../../raw-files/mapping-contract.ts';
import { defineFields } from '#ui/action.ts';
import { getField, type Form } from '#ui/http.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderFormFields, renderField, renderRefusal, type FormsView } from '#ui/form.ts';
import { renderTime } from '#ui/words.ts';
import type { Remark } from '#ui/screen.ts';
import { parseCsvField, readRows, writeCsvField } from '#core/csv.ts';
import { fail } from '#core/failures.ts';

/** A browser searches a list of this length at once. */
const NAMES_MAX = 500;

interface MappingView {
  readonly action: string;
  /** The lines that stand in the form. */
  readonly written: string;
  /** Samples of the files and ordered sequences, to choose from. */
  readonly names: readonly string[];
  /** Newest first. */
  readonly versions: Output<typeof getRawFileMapping>['versions'];
}

export function renderMapping({ session, createKey, remark }: FormsView, view: MappingView): Markup {
  const { action, written, names, versions } = view;
  const formRemark = remark?.action === action ? remark : undefined;
  const [present] = versions;
  const reason = present?.reason ?? null;
  const state =
    present === undefined
      ? 'None yet: the names in the files decide.'
      : markup`${formatCount(versions.length, 'version')}, the last ${renderTime(present.created_at)}${reason !== null && markup`: <bdi>${reason}</bdi>`}`;
  return markup`<section class="card" aria-labelledby="mapping"><div class="card-head"><h2 id="mapping">Well mapping</h2><p class="hint">${state}</p></div>
<form method="post" action="${action}" class="fields wide">${renderFormFields(session, createKey())}
${formRemark && renderRefusal(formRemark)}
${renderLineFields(action, names, formRemark)}
${renderField(action, { name: 'entries', label: 'Lines', kind: 'area', value: written, lengthMax: 60_000, hint: `${MAPPING_HEAD}. Name a well or a sample; roles are sample, blank, reference, positive_control, negative_control, standard and left_out. Without lines, the names in the files decide.` }, formRemark)}
${renderField(action, { name: 'reason', label: 'Reason', lengthMax: 500 }, formRemark)}
<div class="actions"><button name="intent" value="save" class="primary">Keep the mapping</button><button name="intent" value="try">Try it</button></div></form></section>`;
}

/** One line field by field. */
const LINE = defineFields(GivenEntry, {
  plate: { label: 'Plate', hint: 'Empty: every plate.' },
  well: { label: 'Well or trace' },
  sample: { label: 'or sample name in the file' },
  role: { label: 'Role' },
  sequence: { label: 'Sequence', hint: 'Empty: as the file says.' },
  replicate: { label: 'Replicate' },
});

/** Adding a line shows its effect and keeps nothing. */
function renderLineFields(action: string, names: readonly string[], mine: Remark | undefined): Markup {
  const list = `${action.replaceAll(/\W+/g, '-').slice(1)}-names`;
  const fields = [...LINE.values()].map((field) =>
    field.name === 'sample' || field.name === 'sequence' ? { ...field, list } : field,
  );
  return markup`<fieldset class="stack field"><legend class="label">One well or sample</legend><datalist id="${list}">${names.map((name) => markup`<option value="${name}"></option>`)}</datalist>
<div class="group-fields">${fields.map((field) => renderField(action, field, mine))}</div>
<div class="actions"><button name="intent" value="line">Add the line and try it</button></div></fieldset>`;
}

interface MappingAsked {
  /** As it was typed. */
  readonly text: string;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly reason: { readonly reason?: string };
  /** Whether to show its effect and to keep nothing. */
  readonly isTrial: boolean;
}

/** Reads the form. Throws `invalid_request` beside the field. */
export function readMappingForm(form: Form): MappingAsked {
  const intent = getField(form, 'intent');
  const typed = getField(form, 'entries');
  const text = intent === 'line' ? appendLine(typed, form) : typed;
  const reason = getField(form, 'reason');
  return {
    text,
    entries: readMapping(text),
    reason: reason === '' ? {} : { reason },
    isTrial: intent === 'try' || intent === 'line',
  };
}

interface Named {
  readonly sets: readonly { readonly wells: readonly { readonly sample: string }[] }[];
}

/** Lists each name once: samples of the files, then sequences that they lack. */
export function listNames({ sets }: Named, missing: readonly string[]): string[] {
  const samples = sets.flatMap(({ wells }) => wells.map(({ sample }) => sample));
  return [...new Set([...samples, ...missing])].filter((name) => name !== '').slice(0, NAMES_MAX);
}

/** The mapping of wells as lines that people edit: `plate, well, sample, role, sequence, replicate`. */

const COLUMNS = ['plate', 'well', 'sample', 'role', 'sequence', 'replicate'] as const;
const MAPPING_HEAD = COLUMNS.join(',');

export type MappingLine = Readonly<Record<(typeof COLUMNS)[number], string | number | null>>;

/** Writes the lines with their head. */
export function writeMapping(lines: readonly MappingLine[]): string {
  const rows = lines.map((line) => COLUMNS.map((name) => writeCsvField(String(line[name] ?? ''))).join(','));
  return [MAPPING_HEAD, ...rows].join('\n');
}

/** Adds the line of a form to a text, which may be empty; an empty field stays empty. */
function appendLine(text: string, form: Form): string {
  const row = COLUMNS.map((name) => writeCsvField(getField(form, name))).join(',');
  return [text.trim() === '' ? MAPPING_HEAD : text.trimEnd(), row].join('\n');
}

/** Reads the lines; empty fields are left out. Throws `invalid_request` beside the field. */
function readMapping(text: string): Readonly<Record<string, unknown>>[] {
  const { rows, problems } = readRows(text, ',');
  const [problem] = problems;
  if (problem !== undefined) throw createProblem(`line ${problem.line}: ${problem.message}`);
  const [head, ...lines] = rows;
  if (head === undefined) return [];
  if (head.cells.join(',') !== MAPPING_HEAD) throw createProblem(`the first line must be ${MAPPING_HEAD}`);
  return lines.map(({ line, cells }) => readMappingLine(cells, line));
}

function readMappingLine(fields: readonly string[], line: number): Readonly<Record<string, unknown>> {
  if (fields.length > COLUMNS.length)
    throw createProblem(`line ${line} has more than ${COLUMNS.length} fields`);
  const entries: Record<string, string | number> = {};
  for (const [index, name] of COLUMNS.entries()) {
    const value = parseCsvField(fields[index] ?? '');
    if (value === '') continue;
    if (name === 'replicate' && !/^\d{1,5}$/.test(value))
      throw createProblem(`line ${line}: the replicate must be a whole number`);
    entries[name] = name === 'replicate' ? Number(value) : value;
  }
  return entries;
}

function createProblem(message: string): Error {
  return fail('invalid_request', { reason: `${message}.` }, { problems: [{ path: 'entries', message }] });
}
