/** `--fields code,status`: the fields of a record that a person wants, in this order. */
import { findNearest } from '#core/nearest.ts';
import { CommandError } from './command-error.ts';
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

/** Keeps these fields of a record; a name that it lacks is an error that names the nearest one. */
export function selectFields(item: Fields, fields: readonly string[] | undefined): Fields {
  if (fields === undefined) return item;
  return Object.fromEntries(fields.map((field) => [field, getField(item, field)]));
}

/** Throws for a name that the record lacks. */
export function requireFields(item: Fields, fields: readonly string[] = []): void {
  for (const field of fields) getField(item, field);
}

/** Names behind dots lead into parts, and a part may lack what another one has. */
function getField(item: Fields, field: string): unknown {
  if (Object.hasOwn(item, field)) return item[field];
  const [first = '', ...rest] = field.split('.');
  if (rest.length > 0 && Object.hasOwn(item, first)) return readPath(item, [first, ...rest]) ?? null;
  const fieldNames = Object.keys(item);
  const near = findNearest(field, fieldNames);
  throw new CommandError(
    `There is no field "${field}"${near === undefined ? `; there are ${fieldNames.join(', ')}` : ` (did you mean "${near}"?)`}.`,
    2,
  );
}
