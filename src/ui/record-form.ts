/** The fields of a form that edits a record, and the body that they make; both follow from its declaration. */
import type { Declaration, Field } from '#core/record.ts';
import type { ActionField } from './action.ts';
import type { LabField } from './form.ts';
import { getField, type Form } from './http.ts';

export interface FieldGroup {
  readonly title: string;
  readonly fields: readonly LabField[];
}

/** Lists the fields that people type, with the values of an entry, in their groups. */
export function listFieldGroups({ fields }: Declaration, entry: object): FieldGroup[] {
  const values = new Map<string, unknown>(Object.entries(entry));
  const groups = new Map<string, LabField[]>();
  for (const [name, field] of Object.entries(fields)) {
    const { label, group = '' } = field.options;
    if (label === undefined) continue;
    const shown = { ...describeField(name, field, label), value: writeValue(field, values.get(name)) };
    groups.set(group, [...(groups.get(group) ?? []), shown]);
  }
  return [...groups].map(([title, shown]) => ({ title, fields: shown }));
}

function describeField(name: string, { options, isRequired, empty }: Field, label: string): LabField {
  const { hint, isLong } = options;
  return {
    name,
    label,
    isRequired,
    ...(hint === undefined ? {} : { hint }),
    ...(empty === false ? { kind: 'check' } : isLong === true ? { kind: 'area' } : {}),
  };
}

function writeValue(field: Field, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : '';
  return field.write(value);
}

/**
 * Reads what was typed. A text that is not valid stays text, so that the operation names the problem. A field that the
 * form lacks is left out, so that a page from before the field was added does not clear it; a box without a tick is
 * never sent.
 */
export function readFields({ fields }: Declaration, form: Form): Record<string, unknown> {
  const typed = Object.entries(fields).filter(
    ([name, { options, empty }]) =>
      options.label !== undefined && (empty === false || Object.hasOwn(form, name)),
  );
  return Object.fromEntries(typed.map(([name, field]) => [name, readValue(field, getField(form, name))]));
}

function readValue(field: Field, text: string): unknown {
  const value = field.read(text);
  if (value === undefined) return text;
  // People paste a text with the line breaks of where it comes from.
  return field.options.isLong === true && typeof value === 'string'
    ? value.replaceAll(/\s*[\r\n]\s*/g, ' ')
    : value;
}

/** Picks the words of fields for another form that has them. */
export function pickWords<const Name extends string>(
  { fields }: Declaration,
  names: readonly Name[],
): Record<Name, ActionField> {
  const picked = names.map((name): readonly [string, ActionField] => {
    const { label = name, hint, isLong } = fields[name]?.options ?? {};
    return [
      name,
      { label, ...(hint === undefined ? {} : { hint }), ...(isLong === true ? { kind: 'area' } : {}) },
    ];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name has its words
  return Object.fromEntries(picked) as Record<Name, ActionField>;
}
