/** The label and the text of a member for people: the end of its name says its unit, as in `kd_m` or `amount_cents`. */
import { CURRENCY, formatUsd } from '#core/money.ts';
import { formatRelation } from '#core/relations.ts';
import { isRecord, type UnknownRecord } from '#core/records.ts';
import { formatQuantityParts } from '#features/results/words/quantities.ts';
import { formatMolar } from '#features/results/words/results.ts';
import { formatBytes } from './progress.ts';
import { getTerminal } from './terminal.ts';
import { formatTime, toText } from './words.ts';

export const ENTRIES_MAX = 20;
const DIGITS = 4;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** By the end of a name that is not part of a rate (`_per_s`). */
const UNITS: readonly (readonly [end: RegExp, format: (value: number) => string])[] = [
  [/_bytes$/, formatBytes],
  [/_basis_points$/, (value) => `${value / 100} %`],
  [/(?<!_per)_m$/, (value) => formatMolar({ value, relation: '=' })?.value ?? `${value} M`],
  [/_(?:work)?days$/, (value) => `${value} ${value === 1 ? 'day' : 'days'}`],
  [/_ms$/, (value) => `${formatNumber(value / 1_000)} s`],
  ...(
    [
      ['_ng_per_ul', 'ng/µL'],
      ['_mg_per_ml', 'mg/mL'],
      ['_per_m_s', '1/(M·s)'],
      ['_per_s', '1/s'],
      ['_s', 's'],
      ['_c', '°C'],
      ['_ug', 'µg'],
      ['_pct', '%'],
    ] as const
  ).map(
    ([end, unit]) =>
      [new RegExp(`(?<!_per)${end}$`), (value: number) => `${formatNumber(value)} ${unit}`] as const,
  ),
];
const CENTS = /_cents$|^amount_(?:sub)?total$/;

const findUnit = (name: string) => UNITS.find(([end]) => end.test(name));

export const isMoney = (name: string): boolean => CENTS.test(name);

/** Whether numbers of the name have a unit, which money is one of. */
export function hasUnit(name: string): boolean {
  return isMoney(name) || findUnit(name) !== undefined;
}

/** The name in words, without the unit that its values have. */
export function formatLabel(name: string): string {
  const end = isMoney(name) ? /_cents$/ : findUnit(name)?.[0];
  return (end === undefined ? name : name.replace(end, '')).replaceAll(/[_.]/g, ' ');
}

/** A value of a result, with unit, relation and interval. */
export function isQuantity(value: unknown): value is UnknownRecord {
  return isRecord(value) && 'value' in value && typeof value['unit'] === 'string';
}

/** `unit`: false where the title of a column says it; `interval`: whether the 95 % interval follows. */
export function formatQuantity(
  quantity: UnknownRecord,
  { unit: withUnit = true, interval: withInterval = false } = {},
): string {
  const { value, relation: sign, unit: own, ci95_low: low, ci95_high: high } = quantity;
  if (typeof value !== 'number') return '';
  const [relation, unit] = [toText(sign), toText(own)];
  const toEnd = (end: unknown): number | null => (typeof end === 'number' ? end : null);
  const limited = { value, relation, ci95_low: toEnd(low), ci95_high: toEnd(high) };
  const molar = unit === 'M' ? formatMolar(limited) : undefined;
  const isPlain = value === 0 || (Math.abs(value) >= 0.01 && Math.abs(value) < 1e5);
  const parts = isPlain ? formatQuantityParts({ ...limited, unit }) : undefined;
  const bare = parts?.number ?? `${formatRelation(relation)}${value.toExponential(2).replace('e+', 'e')}`;
  const text = molar?.signed ?? (withUnit && unit !== '' ? `${bare} ${unit}` : bare);
  const interval = molar?.interval ?? parts?.interval;
  return withInterval && interval !== undefined ? `${text} (95 % CI ${interval})` : text;
}

function formatNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(DIGITS)));
}

/** An amount in the currency that the record names. */
function formatMoney(cents: number, currency: unknown = CURRENCY): string {
  const text = formatUsd(cents);
  return currency === CURRENCY ? text : `${text.replace('$', '')} ${toText(currency).toUpperCase()}`.trim();
}

/** Times in the zone of the reader on a terminal; nothing for null. `record` is where the member stands. */
export function formatMember(name: string, value: unknown, record: UnknownRecord = {}): string {
  if (isQuantity(value)) return formatQuantity(value, { interval: true });
  if (typeof value === 'boolean' && getTerminal().stdout.isTTY === true) return value ? 'yes' : 'no';
  if (typeof value === 'number') {
    if (isMoney(name)) return formatMoney(value, record['currency'] ?? CURRENCY);
    return findUnit(name)?.[1](value) ?? formatNumber(value);
  }
  if (typeof value === 'string' && TIME.test(value)) return formatTime(value);
  if (!Array.isArray(value) || value.some(isRecord)) return toText(value);
  const more = value.length > ENTRIES_MAX ? `, … (${value.length})` : '';
  const entries = value.slice(0, ENTRIES_MAX).map((entry: unknown) => formatMember(name, entry, record));
  return entries.join(', ') + more;
}

const LIMITS = [
  ['minLength', 'maxLength', ' characters'],
  ['minItems', 'maxItems', ' times'],
  ['minimum', 'maximum', ''],
] as const;

/** The limits of a schema, for a help. */
export function describeLimits(form: UnknownRecord): string[] {
  return LIMITS.flatMap(([least, most, unit]) => {
    const { [least]: from, [most]: to } = form;
    if (to !== undefined && to !== Number.MAX_SAFE_INTEGER)
      return [`${toText(from ?? 0)} to ${toText(to)}${unit}`];
    return from === undefined ? [] : [`at least ${toText(from)}${unit}`];
  });
}
