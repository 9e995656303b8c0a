/** Splits bodies with thousands of entries into parts of some hundreds, which are checked one by one. */
import type { Problem } from '#core/failures.ts';
import { isRecord } from '#core/records.ts';

/** Checking this many takes a few milliseconds. */
const ENTRIES_PER_PART = 500;

export interface BodyPart {
  readonly body: unknown;
  /** Converts the paths of this part's problems to paths in the whole body. */
  readonly nameInWhole: (problem: Problem) => Problem;
}

/** `place` is the path of the entries, which are a list or a map. */
export function* splitParts(body: unknown, place: readonly string[] | undefined): Generator<BodyPart> {
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
