/** The assays that the command line knows, in the order in which its help names them. */
import { ASSAYS as SOLD, isAssay, USUAL_ASSAY, type AssayName } from '#assays/registry.ts';
import { affinity } from '#assays/affinity/columns.ts';
import type { AssayColumns, Result } from '#assays/columns.ts';
import { expression } from '#assays/expression/columns.ts';
import { fluorescence } from '#assays/fluorescence/columns.ts';
import { screening } from '#assays/screening/columns.ts';
import { thermostability } from '#assays/thermostability/columns.ts';

const ASSAYS: Readonly<Record<AssayName, AssayColumns>> = {
  affinity,
  screening,
  thermostability,
  expression,
  fluorescence,
};

const names = Object.keys(ASSAYS).filter(isAssay);
const listAll = new Intl.ListFormat('en-US');
const listAny = new Intl.ListFormat('en-US', { type: 'disjunction' });

/** The assays without a target, in the order of the help. */
export const TARGETLESS: readonly AssayName[] = names.filter((name) => !SOLD[name].hasTarget);
const targeted = names.filter((name) => SOLD[name].hasTarget);

/** Pieces of the help. */
export const ASSAY_WORDS = {
  /** `a (default), b, c or d`. */
  every: listAny.format(names.map((name) => (name === USUAL_ASSAY ? `${name} (default)` : name))),
  /** Such as `a, b or c`. */
  targetless: listAny.format(TARGETLESS),
  /** `a and b`. */
  targeted: listAll.format(targeted),
  /** `a (default: what it gives) or b (what it gives)`. */
  targetedInFull: listAny.format(
    targeted.map((name) => `${name} (${name === USUAL_ASSAY ? 'default: ' : ''}${ASSAYS[name].gives ?? ''})`),
  ),
  withConcentrations: listAll.format(names.filter((name) => SOLD[name].takesConcentrations)),
} as const;

/** Of the assay that all results share; others are shown like those of the usual one. */
export function getAssayColumns(results: readonly Result[]): AssayColumns {
  const [type = '', ...others] = new Set(results.map((result) => result.experiment_type));
  return others.length === 0 && isAssay(type) ? ASSAYS[type] : ASSAYS[USUAL_ASSAY];
}
