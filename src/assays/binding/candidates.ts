/** The models that were compared where the analysis doubts the one it used, each with its own KD. */
import { listRecords, type Row } from '#documents/records.ts';
import { formatModel } from '#features/results/words/models.ts';
import { formatConcentrationBriefly } from '#features/results/words/results.ts';

interface Doubted {
  readonly flags: readonly string[];
  /** The replicate rows, whose flags say which replicates are in doubt. */
  readonly replicates: readonly Row[];
  readonly details?: Row | null | undefined;
}

export interface ShownCandidate {
  readonly model: string;
  readonly name: string;
  readonly kdM: number;
  /** `4.2 nM`. */
  readonly kd: string;
  /** BIC minus that of 1:1, the lowest of the replicates; null where it is not known. */
  readonly deltaBic: number | null;
  /** Whether the values of the result come from it. */
  readonly isUsed: boolean;
}

export interface Doubt {
  /** The model of the result first, then those that describe the curves better. */
  readonly candidates: readonly ShownCandidate[];
  /** `≈ 9.1 nM or ≈ 4.2 nM`; a value that several models share stands once. */
  readonly values: string;
  /** `KD in doubt: 9.1 nM by 1:1 binding (fitted) or 4.2 nM by two kinds of site`. */
  readonly line: string;
  /** The values of `line` in a sentence, with the evidence, for a caption. */
  readonly sentence: string;
}

const FLAG = 'MODEL_IN_DOUBT';
/** Side by side more would not be read. */
const SHOWN_MAX = 3;

/** Returns undefined where the model is not in doubt, or where no candidate has a KD. */
export function describeDoubt(result: Doubted): Doubt | undefined {
  if (!result.flags.includes(FLAG)) return undefined;
  const candidates = chooseShown(combineCandidates(result));
  if (candidates.length === 0) return undefined;
  const sides = candidates.map(({ kd, name, isUsed }) => `${kd} by ${name}${isUsed ? ' (fitted)' : ''}`);
  const evidence = candidates.map(
    ({ kd, name, isUsed, deltaBic }) =>
      `${name} ${kd}${deltaBic === null || (isUsed && deltaBic === 0) ? '' : ` (ΔBIC ${formatBic(deltaBic)})`}${isUsed ? ', which is drawn' : ''}`,
  );
  const alone = candidates.length === 1 ? '; no other model was compared' : '';
  return {
    candidates,
    values: [...new Set(candidates.map(({ kd }) => `≈ ${kd}`))].join(' or '),
    line: `KD in doubt: ${sides.join(' or ')}`,
    sentence: `Model in doubt, KD by each candidate: ${evidence.join('; ')}${alone}.`,
  };
}

export function formatBic(deltaBic: number): string {
  return String(Math.round(deltaBic)).replace('-', '−');
}

/** Joins the candidates of the replicates in doubt: the geometric mean of the KD by each model. */
function combineCandidates({ replicates, details }: Doubted): ShownCandidate[] {
  const models = listRecords(details?.models);
  const doubted = new Set(
    replicates
      .filter(({ flags }) => Array.isArray(flags) && flags.includes(FLAG))
      .map(({ replicate }) => replicate),
  );
  const chosen = models.filter(({ replicate }) => doubted.has(replicate));
  const allCandidates = (chosen.length === 0 ? models : chosen).flatMap(({ candidates }) =>
    listRecords(candidates),
  );
  const groups = Map.groupBy(allCandidates, ({ model }) => (typeof model === 'string' ? model : ''));
  return [...groups].flatMap(([model, members]) => {
    const logs = members.flatMap(({ kd_m: kd }) =>
      typeof kd === 'number' && kd > 0 && Number.isFinite(kd) ? [Math.log10(kd)] : [],
    );
    if (model === '' || logs.length === 0) return [];
    const kdM = 10 ** (logs.reduce((sum, each) => sum + each, 0) / logs.length);
    const gains = members.flatMap(({ delta_bic: gain }) => (typeof gain === 'number' ? [gain] : []));
    return {
      model,
      name: formatModel(model),
      kdM,
      kd: formatConcentrationBriefly(kdM),
      deltaBic: gains.length === 0 ? null : Math.min(...gains),
      isUsed: members.some(({ accepted }) => accepted === true),
    };
  });
}

/** Keeps what was used, and beside it what describes the curves better, or else the next best. */
function chooseShown(candidates: readonly ShownCandidate[]): ShownCandidate[] {
  const getGain = ({ deltaBic }: ShownCandidate) => deltaBic ?? Infinity;
  const ordered = candidates.toSorted((a, b) => getGain(a) - getGain(b));
  const used = ordered.filter(({ isUsed }) => isUsed);
  const best = Math.min(...used.map(getGain), Infinity);
  const others = ordered.filter(({ isUsed }) => !isUsed);
  const better = others.filter((each) => getGain(each) < best);
  return [...used, ...(better.length > 0 ? better : others.slice(0, 1))].slice(0, SHOWN_MAX);
}
