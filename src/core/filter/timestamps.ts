/** Instants as microseconds since 1970, the resolution PostgreSQL keeps. */

const shape =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:([Zz])|([+\- ])(\d{2})(?::?(\d{2}))?)?)?$/;

const longest = 40;
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const firstMicros = BigInt(Date.parse('0001-01-01T00:00:00Z')) * 1000n;
const lastMicros = BigInt(Date.parse('9999-12-31T23:59:59.999Z')) * 1000n + 999n;

function computeDaysInMonth(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (monthDays[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** Rounds to the nearest microsecond, ties to even, as PostgreSQL does for fractions. */
function computeFractionMicros(digits: string): number {
  const exact = Number(`0.${digits}`) * 1e6;
  const floor = Math.floor(exact);
  const rest = exact - floor;
  if (rest > 0.5 || (rest === 0.5 && floor % 2 === 1)) return floor + 1;
  return floor;
}

/**
 * Parses RFC 3339, where the time or only its zone may be absent; undefined for anything else, such as 2026-02-31.
 */
export function parseInstant(text: string): bigint | undefined {
  if (text.length > longest) return undefined;
  const match = shape.exec(text);
  if (match === null) return undefined;
  const getPart = (index: number): number => Number(match[index] ?? '0');
  const [year, month, day, hour, minute, second] = [
    getPart(1),
    getPart(2),
    getPart(3),
    getPart(4),
    getPart(5),
    getPart(6),
  ];
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > computeDaysInMonth(year, month))
    return undefined;
  if (hour > 23 || minute > 59 || second > 59 || getPart(10) > 14 || getPart(11) > 59) return undefined;
  const moment = new Date(0);
  moment.setUTCFullYear(year, month - 1, day);
  moment.setUTCHours(hour, minute, second);
  // A plus sign that was not percent-encoded arrives as a space.
  const offsetMinutes = (match[9] === '-' ? -1 : 1) * (getPart(10) * 60 + getPart(11));
  const millis = moment.getTime() - offsetMinutes * 60_000;
  return BigInt(millis) * 1000n + BigInt(computeFractionMicros(match[7] ?? '0'));
}

/** Prints `2026-01-01T00:00:00.000000Z`; undefined outside the years 1 to 9999. */
export function printInstant(micros: bigint): string | undefined {
  if (micros < firstMicros || micros > lastMicros) return undefined;
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const iso = new Date(Number((micros - rest) / 1000n)).toISOString();
  return `${iso.slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

/** Whether the text is a calendar date that exists, in the form `2026-01-31`. */
export function isDate(text: string): boolean {
  return text.length === 10 && parseInstant(text) !== undefined;
}
