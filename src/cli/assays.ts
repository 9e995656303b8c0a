/** The assays that the command line knows, in the order in which its help names them. */
import { ASSAYS, listOfferedNames, loadParts, USUAL_ASSAY, type AssayName } from '#assays/registry.ts';
import type { AssayColumns, Result } from '#assays/columns.ts';

const COLUMNS = await loadParts((assay) => assay.loadColumns());
const names = listOfferedNames();
const listAll = new Intl.ListFormat('en-US');
const listAny = new Intl.ListFormat('en-US', { type: 'disjunction' });

/** The assays without a target, in the order of the help. */
export const TARGETLESS: readonly AssayName[] = names.filter((name) => !ASSAYS[name].hasTarget);
const targeted = names.filter((name) => ASSAYS[name].hasTarget);

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
    targeted.map(
      (name) => `${name} (${name === USUAL_ASSAY ? 'default: ' : ''}${COLUMNS[name]?.gives ?? ''})`,
    ),
  ),
  withConcentrations: listAll.format(names.filter((name) => ASSAYS[name].takesConcentrations)),
} as const;

/** Of the assay that all results share; others are shown like those of the usual one. */
export function getAssayColumns(results: readonly Result[]): AssayColumns {
  const [type = '', ...others] = new Set(results.map((result) => result.experiment_type));
  const columns = others.length === 0 && Object.hasOwn(COLUMNS, type) ? COLUMNS[type] : COLUMNS[USUAL_ASSAY];
  if (columns === undefined) throw new Error(`results of ${type} cannot be shown: no such assay`);
  return columns;
}
