/**
 * `scripts/node scripts/freeze/results.ts --out FILE | --compare FILE [--data DIR] [--only TEXT] [--tolerance 1e-9]
 * [--interval-tolerance 1e-9] [--floor 1e-16] [--seconds 240]`
 *
 * Runs published and simulated sets of all assays through the analysis, and writes every value, relation, flag, interval and fit
 * as sorted JSON, or compares them with what was written before and prints each difference with its size. Ends with 1 when
 * something differs by more than it may, and with 2 when the time was over before the last case: what was done is written and
 * compared, and the rest is named.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listAssayCases } from './assays/registry.ts';
import { compareFreezes, toJson, type Difference, type Json } from './compare.ts';
import type { FreezeCase } from './case.ts';
import { listPublishedCases } from './published.ts';
import { listSimulatedAssayCases } from './simulated-assays.ts';
import { listSimulatedBindingCases } from './simulated-binding.ts';

const PRINTED_MAX = 40;

function listCases(dataFolder: string, only: string): FreezeCase[] {
  if (!existsSync(dataFolder))
    throw new Error(`There are no published data in ${dataFolder}; name their folder with --data.`);
  const cases = [
    ...listPublishedCases(dataFolder),
    ...listSimulatedBindingCases(),
    ...listSimulatedAssayCases(),
    ...listAssayCases(dataFolder),
  ];
  const names = new Set(cases.map(({ name }) => name));
  if (names.size !== cases.length) throw new Error('Two cases have the same name.');
  return cases.filter(({ name }) => name.includes(only));
}

function runCase({ run }: FreezeCase): Json {
  try {
    return toJson(run());
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // A mistake of the program is no result.
    if (error instanceof TypeError || error instanceof ReferenceError) throw error;
    return { thrown: error.name, message: error.message };
  }
}

/** Between two lines of progress. */
const PROGRESS_MS = 5_000;

/** Runs the cases in their order until the time is over. A case that has begun is finished. */
function freeze(cases: readonly FreezeCase[], seconds: number): Record<string, Json> {
  const frozen: Record<string, Json> = {};
  const startMs = performance.now();
  let toldMs = startMs;
  for (const [done, each] of cases.entries()) {
    const nowMs = performance.now();
    if (nowMs - startMs > seconds * 1_000) break;
    if (nowMs - toldMs > PROGRESS_MS) {
      process.stderr.write(`${done} of ${cases.length} cases; now ${each.name}\n`);
      toldMs = nowMs;
    }
    frozen[each.name] = runCase(each);
  }
  return frozen;
}

/** Names what the time did not suffice for. */
function reportLeft(cases: readonly FreezeCase[], done: Record<string, Json>): void {
  const left = cases.filter(({ name }) => !(name in done));
  console.log(`${cases.length - left.length} of ${cases.length} cases`);
  const [first] = left;
  if (first === undefined) return;
  console.log(
    `The time was over before ${left.length} cases, from "${first.name}" on: give more with --seconds, or choose some with --only.`,
  );
  process.exitCode = 2;
}

function printDifferences(differences: readonly Difference[]): void {
  const sorted = differences.toSorted((a, b) => (b.size ?? Infinity) - (a.size ?? Infinity));
  for (const { path, before, after, size } of sorted.slice(0, PRINTED_MAX)) {
    const text = (value: Json | undefined) => (JSON.stringify(value) ?? 'nothing').slice(0, 80);
    console.log(
      `${size === null ? 'differs' : size.toExponential(1)}  ${path}: ${text(before)} → ${text(after)}`,
    );
  }
  if (sorted.length > PRINTED_MAX) console.log(`… and ${sorted.length - PRINTED_MAX} more`);
}

function runMain(): void {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      compare: { type: 'string' },
      data: { type: 'string', default: join(import.meta.dirname, '..', '..', '..', 'shared', 'data') },
      only: { type: 'string', default: '' },
      tolerance: { type: 'string', default: '1e-9' },
      'interval-tolerance': { type: 'string' },
      floor: { type: 'string', default: '1e-16' },
      seconds: { type: 'string', default: '240' },
    },
  });
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new Error('--seconds is the time for all cases, above 0.');
  const cases = listCases(values.data, values.only);
  const after = freeze(cases, seconds);
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(after, null, 1)}\n`);
  reportLeft(cases, after);
  if (values.compare === undefined) return;
  const frozen: Record<string, Json> = JSON.parse(readFileSync(values.compare, 'utf8'));
  const left = new Set(cases.map(({ name }) => name).filter((name) => !(name in after)));
  const before = Object.fromEntries(
    Object.entries(frozen).filter(([name]) => name.includes(values.only) && !left.has(name)),
  );
  const value = Number(values.tolerance);
  const interval = Number(values['interval-tolerance'] ?? values.tolerance);
  const compared = compareFreezes(before, after, { value, interval, floor: Number(values.floor) });
  printDifferences(compared.differences);
  const { numbers, others, largest, differences } = compared;
  console.log(
    `${numbers} numbers, ${others} relations, flags, texts and lengths compared; largest difference ${largest.value.toExponential(1)} of a value, ${largest.interval.toExponential(1)} of an interval; ${differences.length} beyond ${value} and ${interval}`,
  );
  if (differences.length > 0) process.exitCode = 1;
}

runMain();
