/**
 * Turns errors of the schema checker into problems for people. For a union it reports only the form that was meant,
 * or the possible forms and the fields missing from the closest one.
 */
import { toRecord } from '#core/records.ts';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Problem } from '#core/failures.ts';
import { formatCount } from '#core/words.ts';
import { FILE_NAME, findInvisibleProblem, ONE_LINE } from '#core/one-line.ts';
import { describeUnknownField, listUnwrapped } from './misplaced.ts';

/** An error of the checker. That of a union holds, by the index of each form, the errors of that form. */
interface NestedError {
  readonly error: ErrorObject;
  readonly forms: readonly (readonly NestedError[])[];
}

/** Number of missing fields that are listed for the closest form. */
const MISSING_SHOWN = 3;

type Schema = Readonly<Record<string, unknown>>;

/** `errors` in the order of the checker, with `verbose`; `root` is the schema that it checked. */
export function collectProblems(errors: readonly ErrorObject[], root?: unknown): Problem[] {
  return nestErrors(errors).flatMap((nested) => collectProblemsIn(nested, root));
}

/** Nests the errors: the checker lists those of a union's forms right before that of the union itself. */
function nestErrors(errors: readonly ErrorObject[]): NestedError[] {
  const nested: NestedError[] = [];
  for (const error of errors) {
    const forms: NestedError[][] = [];
    if (error.keyword === 'anyOf') {
      for (let before = nested.at(-1); before !== undefined; before = nested.at(-1)) {
        const index = findForm(error, before.error);
        if (index === undefined) break;
        nested.pop();
        (forms[index] ??= []).push(before);
      }
    }
    nested.push({ error, forms: forms.map((ofForm) => ofForm.toReversed()) });
  }
  return nested;
}

/** Finds the index of the union's form to which an error belongs. */
function findForm(union: ErrorObject, { schemaPath, instancePath }: ErrorObject): number | undefined {
  const isWithin = instancePath === union.instancePath || instancePath.startsWith(`${union.instancePath}/`);
  if (!isWithin || !schemaPath.startsWith(`${union.schemaPath}/`)) return undefined;
  const index = Number.parseInt(schemaPath.slice(union.schemaPath.length + 1), 10);
  return Number.isNaN(index) ? undefined : index;
}

function collectProblemsIn({ error, forms }: NestedError, root: unknown): Problem[] {
  if (error.keyword !== 'anyOf') return [toProblem(error, root), ...listUnwrappedProblems(error)];
  const schemas = listForms(error.schema);
  const formsOfKind = forms
    .map((errors, index) => ({ errors, schema: schemas[index] ?? {} }))
    .filter(({ errors }) => !errors.some((nested) => isOfOtherKind(nested, error.instancePath)));
  const formsOfConstant = formsOfKind.filter(({ errors }) => !errors.some(isOtherConstant));
  const [meant] = [formsOfConstant, formsOfKind].find((list) => list.length === 1) ?? [];
  if (meant !== undefined) return meant.errors.flatMap((nested) => collectProblemsIn(nested, root));
  const path = toPath(error.instancePath);
  const allowed = `must be ${schemas.flatMap(describeSchema).join(' or ')}`;
  const [closest] = formsOfKind.toSorted((a, b) => a.errors.length - b.errors.length);
  if (closest === undefined) return [{ path, message: allowed }];
  const missing = closest.errors
    .flatMap((nested) => collectProblemsIn(nested, root))
    .slice(0, MISSING_SHOWN)
    .map((problem) => `${problem.path.slice(path === '' ? 0 : path.length + 1)} ${problem.message}`.trim());
  const name = describeSchema(closest.schema).join(' or ');
  return [{ path, message: `${allowed}; for ${name}, ${missing.join(', ')}` }];
}

/** Whether the value is of another kind, such as a text in place of an object: the client did not mean this form. */
function isOfOtherKind({ error, forms }: NestedError, place: string): boolean {
  if (error.instancePath !== place) return false;
  if (error.keyword === 'type' || error.keyword === 'const') return true;
  return (
    error.keyword === 'anyOf' &&
    forms.every((errors) => errors.some((nested) => isOfOtherKind(nested, place)))
  );
}

/** Whether a constant, such as `type`, names another form. */
function isOtherConstant({ error }: NestedError): boolean {
  return error.keyword === 'const';
}

function listForms(schema: unknown): Schema[] {
  return Array.isArray(schema) ? schema.map((form: unknown) => toRecord(form)) : [];
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  null: 'null',
};

/** Describes a form in words; several for a union. */
function describeSchema(schema: Schema): string[] {
  if (Array.isArray(schema.anyOf)) return listForms(schema.anyOf).flatMap(describeSchema);
  if ('const' in schema) return [JSON.stringify(schema.const)];
  if (Array.isArray(schema.enum)) return [`one of ${schema.enum.join(', ')}`];
  if (schema.type === 'object') return [`an object${describeDistinction(schema)}`];
  return [(typeof schema.type === 'string' ? KINDS[schema.type] : undefined) ?? 'another form'];
}

function describeDistinction(schema: Schema): string {
  const constants = Object.entries(toRecord(schema.properties)).flatMap(([name, property]) => {
    const { const: value } = toRecord(property);
    return value === undefined ? [] : [`${name} ${JSON.stringify(value)}`];
  });
  const names = constants.length > 0 || !Array.isArray(schema.required) ? constants : schema.required;
  return names.length === 0 ? '' : ` with ${names.join(' and ')}`;
}

function toProblem(error: ErrorObject, root: unknown): Problem {
  const base = toPath(error.instancePath);
  const parameters = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case 'required':
      return { path: join(base, String(parameters.missingProperty)), message: 'is required' };
    case 'additionalProperties':
      return describeAdditional(error, String(parameters.additionalProperty), root);
    case 'enum':
      return {
        path: base,
        message: `must be one of ${String(parameters.allowedValues).replaceAll(',', ', ')}`,
      };
    case 'const':
      return { path: base, message: `must be ${JSON.stringify(parameters.allowedValue)}` };
    case 'format':
      return { path: base, message: `must be a valid ${String(parameters.format)}` };
    case 'type':
      return { path: base, message: `must be ${formatTypeName(parameters.type)}` };
    case 'pattern':
      return { path: base, message: describePattern(error) };
    default:
      return {
        path: base,
        message: describeLimit(error.keyword, parameters.limit) ?? error.message ?? 'is not valid',
      };
  }
}

/** Describes a limit in words; undefined for any other keyword. */
function describeLimit(keyword: string, limit: unknown): string | undefined {
  if (typeof limit !== 'number') return undefined;
  switch (keyword) {
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${formatCount(limit, 'character')}`;
    case 'maxLength':
      return `must have at most ${formatCount(limit, 'character')}`;
    case 'minItems':
      return `must have at least ${formatCount(limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${formatCount(limit, 'item')}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be more than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    default:
      return undefined;
  }
}

function describeAdditional({ instancePath, data, parentSchema }: ErrorObject, name: string, root: unknown) {
  const message = describeUnknownField(name, data, parentSchema, root);
  return { path: join(toPath(instancePath), name), message };
}

/** Where unknown fields are ignored, those that belong under a missing one are named. */
function listUnwrappedProblems({
  keyword,
  instancePath,
  params,
  data,
  parentSchema,
}: ErrorObject): Problem[] {
  if (keyword !== 'required' || toRecord(parentSchema).additionalProperties === false) return [];
  const wrapper = String(toRecord(params).missingProperty);
  return listUnwrapped(wrapper, data, parentSchema).map((name) => ({
    path: join(toPath(instancePath), name),
    message: `put this under ${wrapper}`,
  }));
}

/** A pattern that excludes characters lists them; for other patterns the description of the field must do. */
function describePattern({ params, parentSchema, data }: ErrorObject): string {
  const pattern = String(params.pattern);
  const isAdmitted = (text: string): boolean => new RegExp(pattern).test(text);
  const { description } = toRecord(parentSchema);
  if (pattern.startsWith('^[^')) {
    const isNew = pattern === ONE_LINE || pattern === FILE_NAME;
    const invisible = isNew ? findInvisibleProblem(String(data)) : undefined;
    if (invisible !== undefined) return invisible;
    const other = isAdmitted('a\nb') ? ' other than line feeds' : ', such as line breaks';
    return `must not have control characters${other}${isAdmitted('a/b') ? '' : ', nor / or \\'}`;
  }
  if (pattern.startsWith('^[\\x20-\\x7e]')) return 'must be plain ASCII text';
  if (pattern.startsWith('^[\\x21-\\x7e]')) return 'must be plain ASCII text without blanks';
  return typeof description === 'string' ? `must be ${description}` : `must match ${pattern}`;
}

function formatTypeName(type: unknown): string {
  return Array.isArray(type) ? type.join(' or ') : String(type);
}

function join(base: string, name: string): string {
  return base === '' ? name : `${base}.${name}`;
}

/** Turns `/experiment_spec/sequences/design~11` into `experiment_spec.sequences.design/1`. */
function toPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}
