/** The table a bench ends with: each figure beside its limit. */

export interface Finding {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Absent for figures that are only reported. */
  readonly limit?: { readonly atLeast: number } | { readonly atMost: number };
}

export interface Report {
  readonly title: string;
  /** What was run on what, in a few words each. */
  readonly conditions: readonly string[];
  readonly findings: readonly Finding[];
}

function isPassed({ value, limit }: Finding): boolean | undefined {
  if (limit === undefined) return undefined;
  return 'atLeast' in limit ? value >= limit.atLeast : value <= limit.atMost;
}

function formatNumber(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function formatLimit(limit: Finding['limit']): string {
  if (limit === undefined) return '';
  return 'atLeast' in limit ? `≥ ${limit.atLeast}` : `≤ ${limit.atMost}`;
}

function describeVerdict(finding: Finding): string {
  const passed = isPassed(finding);
  if (passed === undefined) return '';
  return passed ? 'PASS' : 'FAIL';
}

/** Prints the report; true when no figure is beyond its limit. */
export function print(report: Report): boolean {
  const rows = report.findings.map((finding) => [
    finding.what,
    `${formatNumber(finding.value)} ${finding.unit}`.trim(),
    formatLimit(finding.limit),
    describeVerdict(finding),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  console.log(`\n${report.title}`);
  for (const row of rows) {
    const [what = '', value = '', limit = '', result = ''] = row;
    const [w0 = 0, w1 = 0, w2 = 0] = widths;
    console.log(`  ${what.padEnd(w0)}  ${value.padStart(w1)}  ${limit.padEnd(w2)}  ${result}`.trimEnd());
  }
  for (const condition of report.conditions) console.log(`  · ${condition}`);
  return report.findings.every((finding) => isPassed(finding) !== false);
}
