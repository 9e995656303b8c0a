/** The assays that the command line knows, in the order in which its help names them. */
import { ASSAYS, listOfferedNames, USUAL_ASSAY, type AssayName } from '#assays/registry.ts';
import { COLUMNS } from '#assays/results-view.ts';

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
