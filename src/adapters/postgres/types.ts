/** Converts database values to JavaScript values, as `core/sql.ts` promises. */
import pg from 'pg';

const OID = {
  int8: 20,
  date: 1082,
  timestamptz: 1184,
  int8Array: 1016,
  dateArray: 1182,
  timestamptzArray: 1185,
};
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?([+-]\d{2}(?::\d{2}){0,2})$/;

/** Parses an `int8` as a number; a value beyond 2^53 would lose digits, so it is an error. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`The database returned the integer ${text}, which a number cannot hold exactly.`);
  }
  return value;
}

/** Parses a `timestamptz` as RFC 3339 in UTC with milliseconds; finer digits are dropped. */
function parseTimestamptz(text: string): string {
  const match = TIMESTAMP.exec(text);
  if (match === null)
    throw new RangeError(`The database returned the time ${text}, which RFC 3339 cannot hold.`);
  const [, date = '', time = '', fraction = '', offset = ''] = match;
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3);
  if (offset === '+00') return `${date}T${time}.${milliseconds}Z`;
  const zone = offset.length === 3 ? `${offset}:00` : offset;
  return new Date(`${date}T${time}.${milliseconds}${zone}`).toISOString();
}

function keepText(text: string): string {
  return text;
}

/** `text[]`, whose elements the driver's parser leaves unchanged. */
const TEXT_ARRAY: number = 1009;
const textArrayParser = new pg.TypeOverrides().getTypeParser(TEXT_ARRAY);

/** Splits an array's text by the driver's own rules and parses its elements, at whatever depth they are. */
function parseArray(text: string, parse: (element: string) => unknown): unknown {
  const parseElement = (element: unknown): unknown => {
    if (Array.isArray(element)) return element.map(parseElement);
    return typeof element === 'string' ? parse(element) : element;
  };
  return parseElement(Reflect.apply(textArrayParser, undefined, [text]));
}

const scalarParsers = new Map<number, (text: string) => unknown>([
  [OID.int8, parseInt8],
  [OID.timestamptz, parseTimestamptz],
  [OID.date, keepText],
]);

const arrayElements = new Map<number, (text: string) => unknown>([
  [OID.int8Array, parseInt8],
  [OID.timestamptzArray, parseTimestamptz],
  [OID.dateArray, keepText],
]);

/** Creates the parsers of one pool; the driver's global ones are not changed. */
export function createTypeParsers(): pg.CustomTypesConfig {
  const overrides = new pg.TypeOverrides();
  for (const [oid, parse] of scalarParsers) overrides.setTypeParser(oid, parse);
  for (const [oid, parse] of arrayElements) {
    overrides.setTypeParser(oid, (text: string) => parseArray(text, parse));
  }
  return overrides;
}
