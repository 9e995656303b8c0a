/** Counts what a run of tests reports, and says at its end whether it was a success. */
import { relative, resolve } from 'node:path';
import type { run } from 'node:test';

const ROOT = resolve(import.meta.dirname, '..', '..');

export interface FileTime {
  readonly file: string;
  readonly seconds: number;
}

export interface Outcome {
  passed: number;
  failed: number;
  readonly skips: string[];
  readonly emptyFiles: string[];
  readonly times: FileTime[];
  /** Processes that said at their end how many of their tests passed; one that exits in the middle of them does not. */
  readonly summarized: string[];
  success: boolean;
}

interface Report {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details: { readonly type?: string; readonly duration_ms: number; readonly error?: unknown };
}

/** Listens to a run; what is answered is complete when the run is. */
export function countOutcome(stream: ReturnType<typeof run>): Outcome {
  const outcome: Outcome = {
    passed: 0,
    failed: 0,
    skips: [],
    emptyFiles: [],
    times: [],
    summarized: [],
    success: false,
  };
  // The tests of a file are told of in order, and before the file itself.
  let sinceLastFile = 0;

  function take(report: Report, isPass: boolean): void {
    const { details, skip = false, todo = false } = report;
    if (isWholeFile(report)) {
      if (isPass && sinceLastFile === 0) outcome.emptyFiles.push(getName(report));
      else if (!isPass && !isFailureOfSubtest(details.error)) outcome.failed += 1;
      sinceLastFile = 0;
      return;
    }
    sinceLastFile += 1;
    if (skip !== false || todo !== false) recordSkip(outcome, report, skip === false ? todo : skip);
    else if (details.type === 'suite') return;
    else if (isPass) outcome.passed += 1;
    else outcome.failed += 1;
  }

  stream.on('test:pass', (report) => take(report, true));
  stream.on('test:fail', (report) => take(report, false));
  stream.on('test:complete', (report) => {
    // The process of several files has a name outside the repository.
    if (isWholeFile(report) && !getName(report).startsWith('..'))
      outcome.times.push({ file: getName(report), seconds: report.details.duration_ms / 1000 });
  });
  stream.on('test:summary', (event) => {
    if (event.file === undefined) outcome.success = event.success;
    else outcome.summarized.push(relative(ROOT, event.file));
  });
  return outcome;
}

/** The process of a file, or the test that stands for a file in a process of several, bears the path of the file. */
function isWholeFile({ name, nesting, file }: Report): boolean {
  return nesting === 0 && (name.endsWith('.test.ts') || (file !== undefined && resolve(ROOT, name) === file));
}

function getName({ name }: Report): string {
  return relative(ROOT, resolve(ROOT, name));
}

function isFailureOfSubtest(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'failureType' in error &&
    error.failureType === 'subtestsFailed'
  );
}

function recordSkip(outcome: Outcome, { name, file }: Report, reason: string | boolean): void {
  const why = reason === true || reason === '' ? 'no reason given' : String(reason);
  outcome.skips.push(`${name} (${file === undefined ? '?' : relative(ROOT, file)}): ${why}`);
}

interface Conclusion {
  readonly files: readonly string[];
  /** What the processes were started with: a file, or the script that runs several. */
  readonly entries: readonly string[];
  readonly processorSeconds: ReadonlyMap<string, number>;
  readonly slowestShown: number;
  readonly isFiltered: boolean;
}

/** Prints the closing lines; true when the run counts as a success. */
export function conclude(outcome: Outcome, options: Conclusion): boolean {
  const problems: string[] = [];
  // A test that ends its process takes the files after it along, without a word.
  const ended = new Set(outcome.times.map(({ file }) => file));
  const unended = options.files.filter((file) => !ended.has(file));
  problems.push(...unended.map((file) => `${file} did not run to its end.`));
  const cut = options.entries.filter((entry) => !outcome.summarized.includes(entry));
  problems.push(...cut.map((entry) => `The process of ${entry} ended before its tests did.`));
  if (!options.isFiltered) problems.push(...outcome.emptyFiles.map((file) => `${file} holds no test.`));
  if (outcome.passed + outcome.failed === 0) problems.push('No test ran.');
  if (!outcome.success && outcome.failed === 0) problems.push('A file or a suite failed outside its tests.');
  showSlowest(outcome.times, options);
  const { skips } = outcome;
  if (skips.length > 0) console.log(`\nSkipped:\n${skips.map((skip) => `  ${skip}`).join('\n')}`);
  if (problems.length > 0) console.log(`\n${problems.join('\n')}`);
  const skipped = skips.length > 0 ? `, ${skips.length} skipped` : '';
  // Something that failed outside a test counts in the line too: it must never read as a success.
  console.log(`\n${outcome.passed} passed, ${outcome.failed + problems.length} failed${skipped}`);
  return outcome.failed === 0 && problems.length === 0;
}

/** Where the time of a run over many files went; the seconds of the processor leave out PostgreSQL. */
function showSlowest(
  times: readonly FileTime[],
  { slowestShown, processorSeconds }: Pick<Conclusion, 'slowestShown' | 'processorSeconds'>,
): void {
  if (times.length < 2) return;
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestShown);
  const lines = slowest.map(
    ({ file, seconds }) =>
      `  ${toColumn(seconds)} s  ${toColumn(processorSeconds.get(file))} s of processor  ${file}`,
  );
  console.log(`\nSlowest files:\n${lines.join('\n')}`);
}

function toColumn(seconds: number | undefined): string {
  return (seconds?.toFixed(1) ?? '?').padStart(6);
}
