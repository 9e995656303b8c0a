/** Why a curve has no Tm: nothing unfolds in some, in the others a transition that cannot be read. */
import { listRecords, type Row } from '#documents/records.ts';

/** Reasons that say that no step was seen; every other one leaves open where the protein unfolds. */
const NOTHING_SEEN: ReadonlySet<string> = new Set([
  'amplitude_below_noise',
  'no_inflection',
  'not_distinct_from_baseline',
]);

const REASONS: Readonly<Record<string, string>> = {
  at_range_end: 'the range of temperatures does not contain the whole transition',
  poorly_determined: 'the curve does not determine it',
  signal_returns: 'the signal changes and returns',
  width_at_bound: 'the step is not as wide as unfolding',
  dye_falls: 'the only step of the dye falls',
};

/** Whether the detector was saturated in this row, of a sequence or of a replicate. */
function isSaturated({ flags, replicates }: Row): boolean {
  return (Array.isArray(flags) && flags.includes('SATURATED')) || listRecords(replicates).some(isSaturated);
}

/** Why the row of a sequence or a replicate has no Tm; undefined where it has one, or where it was not evaluated. */
function findReason({ tm, no_transition_reason: reason }: Row): string | undefined {
  return typeof tm !== 'number' && typeof reason === 'string' ? reason : undefined;
}

/** `no transition` where nothing was seen, `no Tm` where Tm could not be read; undefined with a Tm. */
export function describeWithoutTm(row: Row): string | undefined {
  const reason = findReason(row);
  if (reason === undefined) return undefined;
  if (isSaturated(row)) return 'no Tm: saturated';
  return NOTHING_SEEN.has(reason) ? 'no transition' : 'no Tm';
}

/** Whether the curve lacks a Tm although the protein may well unfold in the range. */
export function isTmMissing(row: Row): boolean {
  return describeWithoutTm(row)?.startsWith('no Tm') === true;
}

/** `no Tm: at range end`, for a plot. */
export function describeWithoutTmBriefly(row: Row): string | undefined {
  const reason = findReason(row);
  if (reason === undefined) return undefined;
  return `no Tm: ${isSaturated(row) ? 'saturated' : reason.replaceAll('_', ' ')}`;
}

/** The result in a sentence. */
export function writeWithoutTm(row: Row): string {
  const reason = findReason(row) ?? '';
  if (isSaturated(row)) return 'no Tm: the detector was saturated';
  return NOTHING_SEEN.has(reason) || reason === ''
    ? 'no transition within the range'
    : `no Tm: ${REASONS[reason] ?? reason.replaceAll('_', ' ')}`;
}
