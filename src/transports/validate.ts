/** Validates a client's input against an operation's schemas; every problem has its path. */
import { setImmediate as turnLoop } from 'node:timers/promises';
import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { fail, type Problem } from '#core/failures.ts';
import { FILE_NAME, isOneLine, ONE_LINE } from '#core/one-line.ts';
import type { Operation } from '#core/operation.ts';
import type { TSchema } from '#core/schema.ts';
import type { AnyInput } from '#features/binding.ts';
import { putUnknownLast } from './misplaced.ts';
import { collectProblems as schemaProblems } from './schema-problems.ts';
import { isRecord } from '#core/records.ts';

/** Checking this many takes a few milliseconds. */
const ENTRIES_PER_PART = 500;

interface BodyPart {
  readonly body: unknown;
  /** Converts the paths of this part's problems to paths in the whole body. */
  readonly nameInWhole: (problem: Problem) => Problem;
}

/** `place` is the path of the entries, which are a list or a map. */
function* splitParts(body: unknown, place: readonly string[] | undefined): Generator<BodyPart> {
  const list = place?.reduce((value: unknown, name) => (isRecord(value) ? value[name] : undefined), body);
  const entries = listEntries(list);
  if (place === undefined || entries.length <= ENTRIES_PER_PART) {
    yield { body, nameInWhole: (problem) => problem };
    return;
  }
  for (let from = 0; from < entries.length; from += ENTRIES_PER_PART) {
    const some = entries.slice(from, from + ENTRIES_PER_PART);
    const value = Array.isArray(list) ? some.map(([, entry]) => entry) : Object.fromEntries(some);
    const inWhole = Array.isArray(list) ? shift(`${place.join('.')}.`, from) : (problem: Problem) => problem;
    yield { body: replaceValue(body, place, value), nameInWhole: inWhole };
  }
}

function listEntries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function replaceValue(body: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined || !isRecord(body)) return value;
  return { ...body, [name]: replaceValue(body[name], rest, value) };
}

function shift(prefix: string, by: number): BodyPart['nameInWhole'] {
  return ({ path, message }) => {
    const [index = '', ...rest] = path.startsWith(prefix) ? path.slice(prefix.length).split('.') : [];
    if (!/^\d+$/.test(index)) return { path, message };
    return { path: [prefix.slice(0, -1), String(Number(index) + by), ...rest].join('.'), message };
  };
}

const PROBLEMS_MAX = 100;
/** The checker reports several errors for one problem within a union; more than this are not needed. */
const ERRORS_MAX = 2_000;
/** For larger bodies only the first problem is searched, so that a hostile body cannot fill memory with errors. */
const FULL_REPORT_BYTES_MAX = 2_000_000;

/** Compiles a pattern; the rule of a text of one line says more than its pattern can. */
function compilePattern(pattern: string, flags: string) {
  const form = new RegExp(pattern, flags);
  if (pattern !== ONE_LINE && pattern !== FILE_NAME) return form;
  return { test: (text: string) => form.test(text) && isOneLine(text), toString: () => String(form) };
}

const options = {
  strict: false,
  unicodeRegExp: false,
  validateFormats: true,
  messages: true,
  verbose: true,
  // Tests check the schemas of all operations, so no service has to.
  validateSchema: false,
  code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
} as const;

function createAjv(extra: { allErrors: boolean; coerceTypes: boolean }): Ajv2020 {
  const ajv = new Ajv2020({ ...options, ...extra });
  addFormats.default(ajv, ['uuid', 'date', 'date-time', 'uri']);
  return ajv;
}

const quick = createAjv({ allErrors: false, coerceTypes: false });
const thorough = createAjv({ allErrors: true, coerceTypes: false });
const coercing = createAjv({ allErrors: true, coerceTypes: true });

export interface Validator {
  /** Returns the checked input, or throws the failure that lists every problem, `known` ones among them. */
  check(input: AnyInput, bodyLength: number, known?: readonly Problem[]): Promise<AnyInput>;
}

/** Compiles each schema in a turn of the event loop of its own: the first ones take a tenth of a second together. */
export async function createValidator(operation: Operation): Promise<Validator> {
  const params = compile(coercing, operation.params);
  if (params !== undefined) await turnLoop();
  const query = compile(coercing, operation.query);
  if (query !== undefined) await turnLoop();
  const bodyQuick = compile(quick, operation.body);
  if (bodyQuick !== undefined) await turnLoop();

  /** Checks the entries of a large body in turns with other requests, and stops at the limit of problems. */
  async function findBodyProblems(body: unknown, bodyLength: number): Promise<Problem[]> {
    if (bodyQuick === undefined) return [];
    const problems: Problem[] = [];
    let isFirst = true;
    for (const part of splitParts(body, operation.bulk)) {
      if (!isFirst) await turnLoop();
      isFirst = false;
      if (bodyQuick(part.body)) continue;
      // Compiled for the first wrong body, and kept by the compiler: most operations never meet one.
      const full = bodyLength <= FULL_REPORT_BYTES_MAX ? compile(thorough, operation.body) : undefined;
      if (full === undefined) return listProblems(bodyQuick).map(part.nameInWhole);
      full(part.body);
      problems.push(...listProblems(full).map(part.nameInWhole));
      if (removeDuplicates(problems).length >= PROBLEMS_MAX) return problems;
    }
    return problems;
  }

  return {
    async check(input, bodyLength, known = []) {
      const problems = [...known];
      if (params !== undefined && !params(input.params)) problems.push(...listProblems(params));
      if (query !== undefined && !query(input.query)) problems.push(...listProblems(query));
      const inBody = await findBodyProblems(input.body, bodyLength);
      problems.push(...inBody);
      // A wrong query does not hide what the rules find in the body.
      if (problems.length > 0 && inBody.length < PROBLEMS_MAX && bodyLength <= FULL_REPORT_BYTES_MAX)
        problems.push(...(operation.inspect?.(input.body) ?? []));
      if (problems.length > 0) throw createRefusal(operation, putUnknownLast(removeDuplicates(problems)));
      return input;
    },
  };
}

function compile(ajv: Ajv2020, schema: TSchema | undefined): ValidateFunction | undefined {
  return schema === undefined ? undefined : ajv.compile(schema);
}

function createRefusal(operation: Operation, problems: readonly Problem[]) {
  const [head] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const reason =
    head === undefined ? 'unknown.' : `${head.path === '' ? 'body' : head.path}: ${head.message}${more}.`;
  const code = operation.inspect === undefined ? 'invalid_request' : 'invalid_experiment';
  return fail(code, { reason }, { problems: problems.slice(0, PROBLEMS_MAX) });
}

function removeDuplicates(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ path, message }) => {
    const key = `${path}\n${message}`;
    return !seen.has(key) && seen.add(key);
  });
}

function listProblems(validate: ValidateFunction): Problem[] {
  const problems = schemaProblems(chooseErrors(validate.errors ?? []), validate.schema);
  return putUnknownLast(problems).slice(0, PROBLEMS_MAX);
}

/**
 * Where there are more errors than are looked at, unknown fields are left out first. Otherwise the order stays, because
 * the errors of the parts of a union stand before that of the union.
 */
function chooseErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (errors.length <= ERRORS_MAX) return errors;
  const { unknown = [], other = [] } = Object.groupBy(errors, ({ keyword }) =>
    keyword === 'additionalProperties' ? 'unknown' : 'other',
  );
  return [...other, ...unknown].slice(0, ERRORS_MAX);
}
