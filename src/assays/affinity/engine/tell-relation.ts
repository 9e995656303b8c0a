/** Sees to it that a flag of a replicate says why its KD is a limit or an estimate. */
import { RELATION_RULES } from '#core/relations.ts';
import type { RelationCase } from '#core/relations.ts';
import { createFlag, hasFlag } from '#analysis/quality/flags.ts';
import type { Flag, FlagCode } from '#analysis/quality/flags.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';

/**
 * The flag of each case, in the order in which they are looked for; the first is raised where there is none. Every other
 * case is decided by a flag of its own, whose message gives the reason.
 */
const TOLD_BY: Partial<Record<RelationCase, readonly [FlagCode, ...FlagCode[]]>> = {
  open_above: ['POORLY_IDENTIFIED'],
  open_below: ['POORLY_IDENTIFIED'],
  wide_interval: ['POORLY_IDENTIFIED'],
  near_assay_limit: ['KOFF_BELOW_LIMIT', 'KON_ABOVE_LIMIT'],
  rivals_differ: ['OTHER_MECHANISM', 'MODEL_IN_DOUBT'],
  window_decides: ['WINDOW_DEPENDENT'],
  site_above_doses: ['HETEROGENEOUS_LIGAND'],
  drift_in_doubt: ['DRIFT_FITTED'],
  times_in_doubt: ['TIME_ZERO_OFFSET'],
};

/** Returns the flags, of which one, a warning at least, gives the reason of the relation of KD. */
export function tellRelation(kd: Quantity | null, flags: readonly Flag[]): Flag[] {
  const because = kd?.because ?? null;
  const codes = because === null ? undefined : TOLD_BY[because];
  if (because === null || codes === undefined) return [...flags];
  const sentence = RELATION_RULES[because].because;
  // Other replicates, or the control of the plate, may still make an estimate of a limit, but no limit of an estimate.
  const reason = kd?.relation === '~' ? `KD is an estimate: ${startSmall(sentence)}` : sentence;
  const code = codes.find((each) => hasFlag(flags, each));
  if (code === undefined) return [...flags, createFlag(codes[0], 'warning', reason)];
  return flags.map((flag): Flag => {
    if (flag.code !== code) return flag;
    const severity = flag.severity === 'info' ? 'warning' : flag.severity;
    return { ...flag, severity, message: `${flag.message} ${reason}` };
  });
}

/** A sentence behind a colon; names such as KD keep their spelling. */
function startSmall(sentence: string): string {
  return /^[A-Z]([a-z]| )/.test(sentence) ? sentence[0].toLowerCase() + sentence.slice(1) : sentence;
}
