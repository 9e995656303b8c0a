/** The fields of an OpenAPI document, or of any JSON that holds schemas, with what is said of each. */
import { isRecord } from '#core/records.ts';

interface DescribedField {
  readonly place: string;
  readonly name: string;
  readonly description: string;
}

/** Every property of every schema and every parameter, with the record or operation it was found in. */
export function collectFields(root: unknown): DescribedField[] {
  const fields: DescribedField[] = [];
  collect(root, '', fields);
  return fields;
}

function collect(value: unknown, owner: string, into: DescribedField[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, owner, into);
    return;
  }
  if (!isRecord(value)) return;
  if (isParameter(value)) into.push(describeField(owner, value.name, value));
  const own = getName(value) ?? owner;
  for (const [key, member] of Object.entries(value)) {
    if (key === 'example') continue;
    if (key === 'properties' && isRecord(member))
      for (const [name, schema] of Object.entries(member)) into.push(describeField(own, name, schema));
    if (key === 'schemas' && isRecord(member))
      for (const [name, schema] of Object.entries(member)) collect(schema, name, into);
    else collect(member, own, into);
  }
}

function isParameter(value: Readonly<Record<string, unknown>>): value is { name: string } {
  return typeof value.name === 'string' && typeof value.in === 'string' && 'schema' in value;
}

/** The operation or the tool that a part of the document is. */
function getName({ operationId, name, inputSchema }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof operationId === 'string') return operationId;
  return inputSchema !== undefined && typeof name === 'string' ? name : undefined;
}

function describeField(owner: string, name: string, schema: unknown): DescribedField {
  const description = isRecord(schema) && typeof schema.description === 'string' ? schema.description : '';
  return { place: `${owner}.${name}`, name, description };
}

const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be by for from in is it its of on or that the their these this to was were which with'.split(
    ' ',
  ),
);

/** Whether the description has no word that the name lacks. */
export function isNameRepeated(name: string, description: string): boolean {
  const known = new Set(listWords(name));
  return listWords(description).every((word) => known.has(word));
}

/** Without stop words, in lower case, without the ending of a plural or a verb. */
function listWords(text: string): string[] {
  const words =
    text
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word)).map((word) => word.replace(/(?<=..)s$/u, ''));
}
