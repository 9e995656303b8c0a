/** The table of an attack: one line for each family, shares in percent, `!` behind a limit that is missed. */
import type { FamilyReport } from './attack-wells.ts';
import { OUTCOMES, type OutcomeName } from './family.ts';

const TITLES: Readonly<Record<OutcomeName, string>> = {
  interval_miss: '= misses',
  second_interval_miss: 'Tm2 = misses',
  third_interval_miss: 'Tm3 = misses',
  intensity_interval_miss: 'RFU = misses',
  silent_miss: 'silent',
  false_firm: 'false =',
  wrong_limit: 'wrong < >',
  untold: '= untold',
  kept: 'kept =',
  all_found: 'all found',
  refused: 'refused',
};

export function formatTable(reports: readonly FamilyReport[]): string {
  const head = ['family', 'runs', ...OUTCOMES.map((name) => TITLES[name]), 'cpu s'];
  const rows = reports.map((report) => [
    report.family,
    String(report.runs),
    ...OUTCOMES.map((name) => formatShare(report, name)),
    report.cpuS.toFixed(1),
  ]);
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

function formatShare(report: FamilyReport, name: OutcomeName): string {
  const count = report.counts[name];
  if (count === undefined) return '';
  const share = ((100 * count.hits) / count.of).toFixed(1);
  const of = count.of === report.runs ? '' : `/${count.of}`;
  return `${share}${of}${report.failed.includes(name) ? '!' : ' '}`;
}
