/** `--fields code,status`: the fields of a record that a person wants, in this order. */
import { findNearest } from '#core/nearest.ts';
import { toRecord, type UnknownRecord } from '#core/records.ts';
import { CommandError, EXIT } from './command-error.ts';
import { listForms, POSITION } from './kit-flags.ts';
import { readPath } from './list-columns.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Parses the value of the option; undefined without it. */
export function parseFields(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const fields = text.split(',').map((field) => field.trim());
  if (fields.some((field) => field === ''))
    throw new CommandError('--fields must be names separated by commas, such as code,status.', 2);
  return fields;
}

/** Keeps these fields of a record; names behind dots lead into parts, and a part may lack what another one has. */
export function selectFields(item: Fields, fields: readonly string[] | undefined): Fields {
  if (fields === undefined) return item;
  return Object.fromEntries(fields.map((field) => [field, readPath(item, field.split('.')) ?? null]));
}

/** Refuses a name that no record of the schema has, before anything is asked, and names the nearest one. */
export function requireFields(schema: unknown, fields: readonly string[] = []): void {
  for (const field of fields) {
    let place = schema;
    for (const [depth, name] of field.split('.').entries()) {
      const forms = listForms(place).filter(({ type }) => type !== 'null');
      // What the schema leaves open may have any name.
      if (forms.length === 0 || forms.some(isOpen)) break;
      const members = forms.flatMap(({ properties, patternProperties, items }) => {
        if (items !== undefined) return [[name, POSITION.test(name) ? items : undefined] as const];
        const named = Object.values(toRecord(patternProperties)).map((member) => [name, member] as const);
        return [...Object.entries(toRecord(properties)), ...named];
      });
      place = new Map(members).get(name);
      if (place === undefined)
        throw createFieldError(
          field,
          depth,
          members.map(([known]) => known),
        );
    }
  }
}

const isOpen = ({ type, properties, patternProperties }: UnknownRecord): boolean =>
  (type === 'object' || type === undefined) && properties === undefined && patternProperties === undefined;

function createFieldError(field: string, depth: number, known: readonly string[]): CommandError {
  const parts = field.split('.');
  const name = parts[depth] ?? '';
  const names = [...new Set(known)].filter((other) => other !== name);
  const near = findNearest(name, names);
  const meant = near === undefined ? '' : parts.with(depth, near).join('.');
  const list = names.length === 0 ? '' : `; there are ${names.join(', ')}`;
  return new CommandError(
    `There is no field "${field}"${near === undefined ? list : ` (did you mean "${meant}"?)`}.`,
    EXIT.misused,
  );
}
