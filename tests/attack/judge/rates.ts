/** The rates of a family, their limits, and whether the family stands. */
import type { Family } from '../families/family.ts';
import { computeLowerLimit, findMedian } from './statistics.ts';
import { markVerdict, type Mark, type Verdict } from './verdict.ts';

export interface Rate {
  readonly name: string;
  readonly count: number;
  readonly trials: number;
  readonly lowerLimit: number;
  /** Null for a rate that is only published. */
  readonly limit: number | null;
  readonly hasFailed: boolean;
  /** First seeds behind the count. */
  readonly seeds: readonly number[];
}

export interface FamilyReport {
  readonly family: string;
  readonly runs: number;
  readonly binders: number;
  readonly nonBinders: number;
  readonly rates: readonly Rate[];
  readonly hasFailed: boolean;
  readonly medianMs: number;
}

const FIRM_WRONG_MAX = 0.05;
const MISLEADING_MAX = 0.005;
/** Of firm binders: how many may lose their firm value, by family. */
const LOST_MAX = { clean_bli: 0.15, clean_spr: 0.1 };
const MILD_LOST_MAX = 0.2;
const SEEDS_KEPT = 12;

interface Counted {
  readonly verdict: Verdict;
  readonly marks: ReadonlySet<Mark>;
}

function countRate(
  name: string,
  among: readonly Counted[],
  isEvent: (one: Counted) => boolean,
  limit: number | null,
): Rate {
  const events = among.filter(isEvent);
  const lowerLimit = computeLowerLimit(events.length, among.length);
  return {
    name,
    count: events.length,
    trials: among.length,
    lowerLimit,
    limit,
    hasFailed: limit !== null && lowerLimit > limit,
    seeds: events.slice(0, SEEDS_KEPT).map(({ verdict }) => verdict.seed),
  };
}

function listKeepRates(demand: Family['demand'], binders: readonly Counted[]): Rate[] {
  const isFirmTruth = ({ verdict }: Counted) => verdict.truth.kind === 'binder' && verdict.truth.isFirm;
  const hasLost = (mark: Mark) => (one: Counted) => !one.marks.has(mark);
  const published = countRate('exact_right', binders, ({ marks }) => marks.has('exact_right'), null);
  if (demand === 'clean_bli' || demand === 'clean_spr')
    return [
      published,
      countRate('lost_exact', binders.filter(isFirmTruth), hasLost('exact'), LOST_MAX[demand]),
    ];
  if (demand === 'mild')
    return [published, countRate('lost_twofold', binders, hasLost('twofold'), MILD_LOST_MAX)];
  return [published];
}

export function reportFamily(
  family: Pick<Family, 'name' | 'demand'>,
  verdicts: readonly Verdict[],
): FamilyReport {
  const counted = verdicts.map((verdict) => ({ verdict, marks: new Set(markVerdict(verdict)) }));
  const binders = counted.filter(({ verdict }) => verdict.truth.kind === 'binder');
  const nonBinders = counted.filter(({ verdict }) => verdict.truth.kind === 'non_binder');
  const isTold = family.demand === 'told';
  const limitTo = (limit: number) => (isTold ? null : limit);
  const has = (mark: Mark) => (one: Counted) => one.marks.has(mark);
  const rates = [
    ...(binders.length > 0 ? listKeepRates(family.demand, binders) : []),
    countRate('exact_missed', binders.filter(has('exact')), has('exact_missed'), limitTo(FIRM_WRONG_MAX)),
    countRate('limit_wrong', binders.filter(has('limit')), has('limit_wrong'), limitTo(FIRM_WRONG_MAX)),
    countRate('silent', binders, has('silent'), limitTo(MISLEADING_MAX)),
    countRate('silent_outside', binders, has('silent_outside'), null),
    countRate('firm_non_binder', binders, has('firm_non_binder'), limitTo(MISLEADING_MAX)),
    countRate('twofold', binders, has('twofold'), null),
    countRate('false_binder', nonBinders, has('false_binder'), limitTo(MISLEADING_MAX)),
    countRate('flagged', counted, has('flagged'), null),
    countRate('refused', counted, has('refused'), null),
  ].filter(({ trials }) => trials > 0);
  return {
    family: family.name,
    runs: new Set(verdicts.map(({ seed }) => seed)).size,
    binders: binders.length,
    nonBinders: nonBinders.length,
    rates,
    hasFailed: rates.some(({ hasFailed }) => hasFailed),
    medianMs: findMedian(verdicts.map(({ ms }) => ms)),
  };
}

const COLUMNS: readonly (readonly [rate: string, title: string])[] = [
  ['exact_right', '= right'],
  ['twofold', 'within 2x'],
  ['lost_exact', 'lost ='],
  ['lost_twofold', 'lost 2x'],
  ['exact_missed', '= misses'],
  ['limit_wrong', 'wrong <>'],
  ['silent', 'silent'],
  ['silent_outside', 'of these outside CI'],
  ['firm_non_binder', 'missed binder'],
  ['false_binder', 'false binder'],
  ['flagged', 'flagged'],
  ['refused', 'refused'],
];

function formatPercent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
}

/** The share, with the lower limit behind the rates that have a limit, and `!` where it is exceeded. */
function formatRate(rate: Rate | undefined): string {
  if (rate === undefined) return '';
  const share = formatPercent(rate.count / rate.trials);
  if (rate.limit === null) return share;
  return `${share} (≥ ${formatPercent(rate.lowerLimit)})${rate.hasFailed ? ' !' : ''}`;
}

/** A table in Markdown, one line for each family. */
export function formatTable(reports: readonly FamilyReport[]): string {
  const head = ['family', 'runs', ...COLUMNS.map(([, title]) => title), 'ms', 'result'];
  const rows = reports.map((report) => [
    report.family,
    String(report.runs),
    ...COLUMNS.map(([name]) => formatRate(report.rates.find((rate) => rate.name === name))),
    report.medianMs.toFixed(0),
    report.hasFailed ? 'FAILS' : 'stands',
  ]);
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((cells) => (cells[column] ?? '').length)),
  );
  const lay = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [lay(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(lay)].join(
    '\n',
  );
}
