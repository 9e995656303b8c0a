/** Expected failures as values: a code of the catalog, and what fills its sentence. */
import { catalog } from './failure-catalog.ts';

/** What the placeholders of a sentence count, where one of it is possible; the sentence has the plural. */
const COUNTED = 'byte|cent|endpoint|level|minute|second|sequence';
const PLACEHOLDER = new RegExp(`\\{(\\w+)\\}(?: (${COUNTED})s\\b)?`, 'g');

/** Puts values into the placeholders of a sentence: `{name}`; `{{}}` is a pair of braces. */
export function fillSentence(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence
    .replaceAll(PLACEHOLDER, (whole, name: string, counted?: string) => {
      const value = values[name];
      if (value === 1 && counted !== undefined) return `1 ${counted}`;
      return whole.replace(`{${name}}`, () => String(value ?? `{${name}}`));
    })
    .replaceAll('{{}}', '{}');
}

export type FailureCode = keyof typeof catalog;

export interface Problem {
  /** JSON path of the field, such as `experiment_spec.sequences.design-1`. */
  readonly path: string;
  readonly message: string;
}

export interface FailureOptions {
  readonly problems?: readonly Problem[];
  /** For the log only. */
  readonly detail?: string;
  /** Additional members of the error body, such as `hint`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** Whether a 5xx needs nobody to look at it, such as work that another process is doing at the moment. */
  readonly settlesItself?: boolean;
}

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly status: number;
  /** The values of the placeholders in the sentence. */
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly problems: readonly Problem[];
  readonly detail: string | undefined;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly settlesItself: boolean;

  constructor(
    code: FailureCode,
    parameters: Readonly<Record<string, string | number>>,
    options: FailureOptions,
  ) {
    super(fillSentence(catalog[code][1], parameters), { cause: options.cause });
    this.code = code;
    this.status = catalog[code][0];
    this.parameters = parameters;
    this.problems = options.problems ?? [];
    this.detail = options.detail;
    this.extra = options.extra ?? {};
    this.headers = { ...findRetryAfter(parameters), ...options.headers };
    this.settlesItself = options.settlesItself ?? false;
  }
}

/** A sentence that says how long to wait says it to programs as well, RFC 9110 §10.2.3. */
function findRetryAfter({ retry_after: waitS }: Failure['parameters']): Readonly<Record<string, string>> {
  return waitS === undefined ? {} : { 'retry-after': String(waitS) };
}

/** Creates the failure to throw: `throw fail('quote_expired', { valid_until })`. */
export function fail(
  code: FailureCode,
  parameters: Readonly<Record<string, string | number>> = {},
  options: FailureOptions = {},
): Failure {
  return new Failure(code, parameters, options);
}

/** Creates an `invalid_request` that names fields which the schemas cannot check. */
export function createInvalidFieldsFailure(problems: readonly Problem[]): Failure {
  const reason = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
  return fail('invalid_request', { reason: `${reason}.` }, { problems });
}

export function getFailureStatus(code: FailureCode): number {
  return catalog[code][0];
}

export function getFailureSentence(code: FailureCode): string {
  return catalog[code][1];
}

export function isFailureCode(text: string): text is FailureCode {
  return Object.hasOwn(catalog, text);
}

export const failureCodes: readonly FailureCode[] = Object.keys(catalog).filter((code) =>
  isFailureCode(code),
);

const BEARER = '"Authorization: Bearer <token>"';

/**
 * Creates the failure for a request without a credential. A payer that uses `Authorization` sends the token in the
 * header `besides`.
 */
export function createUnauthenticatedFailure(besides?: string): Failure {
  const header = besides === undefined ? BEARER : `"${besides}: <token>" beside "Authorization: Payment …"`;
  return fail('unauthenticated', { header });
}
