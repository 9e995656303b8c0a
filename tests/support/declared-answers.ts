/** Answers held to a published document: its statuses, its media types and its schemas, with every record closed. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isRecord } from '#core/records.ts';
import { QUICKLY_COMPILED } from './validators.ts';

const DOCUMENT = 'openapi';

/** An operation by where it stands in the document. */
export interface Place {
  /** With its parameters in braces. */
  readonly path: string;
  readonly method: string;
}

export class DeclaredAnswers {
  readonly #document: unknown;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, ...QUICKLY_COMPILED });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: unknown) {
    this.#document = document;
    addFormats.default(this.#ajv, ['uuid', 'date', 'date-time', 'uri']);
    this.#ajv.addSchema(closeRecords(document), DOCUMENT);
  }

  /** The statuses that the operation declares. */
  listStatuses({ path, method }: Place): number[] {
    return Object.keys(recordAt(this.#document, ['paths', path, method.toLowerCase(), 'responses'])).map(
      Number,
    );
  }

  /** The media types that it declares for a status; none where the answer has no body. */
  listMedia(place: Place, status: number): string[] {
    return Object.keys(recordAt(this.#document, [...this.#locateResponse(place, status), 'content']));
  }

  /** What an answer of that status and media type must fit. */
  getValidator(place: Place, status: number, media: string): ValidateFunction {
    const keys = [...this.#locateResponse(place, status), 'content', media, 'schema'];
    const pointer = `#/${keys.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
    const known = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: DOCUMENT + encodeURI(pointer) });
    this.#validators.set(pointer, known);
    return known;
  }

  /** In a sentence, what the last refusal of a validator found. */
  describeProblems(validator: ValidateFunction): string {
    return this.#ajv.errorsText(validator.errors);
  }

  /** Where the response stands, through its reference. */
  #locateResponse({ path, method }: Place, status: number): string[] {
    const own = ['paths', path, method.toLowerCase(), 'responses', String(status)];
    const reference: unknown = recordAt(this.#document, own).$ref;
    return typeof reference === 'string' ? reference.slice(2).split('/') : own;
  }
}

function recordAt(value: unknown, keys: readonly string[]): Readonly<Record<string, unknown>> {
  let found = value;
  for (const key of keys) found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return isRecord(found) ? found : {};
}

/** The document with every record closed, so that a field beyond it is seen. */
function closeRecords(document: unknown): object {
  if (!isRecord(document)) return {};
  return { ...document, paths: close(document.paths), components: close(document.components) };
}

function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, close(item)]));
  const isClosable = 'properties' in copy && 'type' in copy && copy.type === 'object';
  return isClosable && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}
