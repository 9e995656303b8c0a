/**
 * Rows of a form that make a list of the body, such as the lines of a quote. A schema says what a row has; a row in
 * which nothing is typed is left out. For example
 *
 *     const LINES = defineRows(Line, { list: 'line_items', name: 'line', label: 'Line', countMax: 45, countBlank: 2,
 *       fields: { description: { label: 'Description' }, unit_price_cents: { label: 'USD each' } } });
 *     readRows(LINES, form); // [{ description: 'An assay', unit_price_cents: 29_700 }]
 *     renderRows(LINES, entries, remark?.problems);
 */
import type { Problem } from '#core/failures.ts';
import type { Static, TObject } from '#core/schema.ts';
import { defineFields, listShown, readBody, type Action, type ActionField } from './action.ts';
import { renderSelect, type LabField } from './form.ts';
import { getField, type Form } from './http.ts';
import { markup, type Markup } from './markup.ts';

interface RowWords {
  /** The member of the body. */
  readonly list: string;
  /** Begins the names of the fields: `line_0_description`. */
  readonly name: string;
  readonly label: string;
  /** A form has at most 200 fields. */
  readonly countMax: number;
  /** Rows to fill in after those that are. */
  readonly countBlank: number;
}

export interface Rows extends RowWords {
  readonly fields: Action['fields'];
}

export function defineRows<Schema extends TObject>(
  schema: Schema,
  {
    fields,
    ...words
  }: RowWords & { readonly fields: { readonly [Name in keyof Static<Schema>]?: ActionField } },
): Rows {
  return { ...words, fields: defineFields(schema, fields) };
}

/** Whether the form has the rows at all; a list that is too long for it stays as it is. */
export function hasRows({ name, fields }: Rows, form: Form): boolean {
  return [...fields.keys()].some((member) => form[`${name}_0_${member}`] !== undefined);
}

export function readRows({ name, countMax, fields }: Rows, form: Form): Record<string, unknown>[] {
  return Array.from({ length: countMax }, (_, index) => {
    const typed = Object.fromEntries(
      [...fields.keys()].map((member) => [member, getField(form, `${name}_${index}_${member}`)]),
    );
    const isFilled = [...fields.values()].some((field) => !field.options && typed[field.name] !== '');
    return isFilled ? [readBody({ fields }, typed)] : [];
  }).flat();
}

/** Renders the entries and some blank rows; what is wrong with an entry stands below it. */
export function renderRows(
  { list, name, label, countMax, countBlank, fields }: Rows,
  entries: readonly object[],
  problems: readonly Problem[] = [],
): Markup {
  const blank = Array.from({ length: countBlank }, () => ({}));
  const shown = [...entries, ...blank].slice(0, Math.max(countMax, entries.length));
  const general = problems.filter(({ path }) => path.replace(/^body[./]/, '') === list);
  const rows = shown.map((entry, index) => {
    const sentences = listSentences({ list, fields }, index, problems);
    const row = `${name}_${index}`;
    const invalid = sentences.length > 0 && markup` aria-invalid="true" aria-describedby="${row}-problem"`;
    return markup`<fieldset class="quote-row"><legend class="visually-hidden">${label} ${index + 1}</legend>${listShown(fields, entry).map((field) => renderCell(row, field, invalid))}${sentences.length > 0 && markup`<p class="problem" id="${row}-problem">${sentences.join(' ')}</p>`}</fieldset>`;
  });
  return markup`${general.map(({ message }) => markup`<p class="problem">The ${label.toLowerCase()}s ${message}.</p>`)}<div class="quote-rows">${rows}</div>`;
}

function renderCell(row: string, field: LabField, invalid: Markup | false): Markup {
  const { name, label, kind, options, value = '', lengthMax = 20 } = field;
  const attributes = markup`id="${row}_${name}" name="${row}_${name}"`;
  const control =
    options === undefined
      ? markup`<input type="text" ${attributes} value="${value}" maxlength="${lengthMax}"${kind === 'number' && markup` inputmode="decimal"`} autocomplete="off"${invalid}>`
      : renderSelect(markup`${attributes}${invalid}`, value, options);
  return markup`<div class="field${invalid && ' invalid'}"><label for="${row}_${name}">${label}</label>${control}</div>`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  cents: ': write an amount such as 297.00',
  percent: ': write a number above 0 and at most 100, with two decimals',
};

function listSentences(
  { list, fields }: Pick<Rows, 'list' | 'fields'>,
  index: number,
  problems: readonly Problem[],
): string[] {
  const sentences = problems.flatMap(({ path, message }) => {
    const [, of, row, member = ''] = /(\w+)[.[/](\d+)[\]./]*(\w*)/.exec(path) ?? [];
    if (of !== list || Number(row) !== index) return [];
    const field = fields.get(member);
    return field === undefined ? `It ${message}.` : `${field.label}${EXPECTED[field.type] ?? ` ${message}`}.`;
  });
  return [...new Set(sentences)];
}
