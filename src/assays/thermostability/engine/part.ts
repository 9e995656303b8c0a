/**
 * Analyzes the wells of some plates, given the choices that depend on all wells: the model and the method of the
 * experiment.
 */
import { computeMedian } from '#analysis/numerics/statistics.ts';
import { listStatedControls, type MeltSet } from '#analysis/curves/trace.ts';
import {
  Exclusions,
  type ExcludedReplicate,
  countControls,
  type PlateControls,
} from '#analysis/assays/exclusions.ts';
import { examineUntilPrecipitation, evaluateTransition } from './examine.ts';
import type { Examination, FittedShape } from './examine.ts';
import { measureMisfit } from './misfit.ts';
import { leaveOut } from './plateaus.ts';
import { fitMelt } from './fit.ts';
import { fitJointly } from './joint-fit.ts';
import type { JointMelt } from './joint-fit.ts';
import type { Curve, MeltFit } from './fit.ts';
import { evaluateWell } from './replicate.ts';
import type { MeltingSettings, TmMethod } from './settings.ts';
import { fitSharedSlopes } from './shared-slopes.ts';
import type { MeltingProvenance, ReplicateMelting } from './types.ts';
import { buildWells } from './wells.ts';
import type { Well } from './wells.ts';

/** The choices for all curves of an experiment. */
export interface MeltingChoice {
  shape: FittedShape;
  method: TmMethod;
}

/** The basis of the choice. */
export interface MeltingEvidence {
  /** Every well was read only in a dye channel. */
  onlyDye: boolean;
  /** Every well is as bright from its start as no dye is, in a channel that the file does not name. */
  onlyIntrinsic: boolean;
  /** R² of the fits with a transition, of what the noise leaves to explain. */
  r2: number[];
  /** Number of curves whose derivative has a peak where the model finds no transition. */
  missed: number;
}

export interface MeltingPart {
  notices: string[];
  plates: { plate: string; instrument: string | null }[];
  replicates: ReplicateMelting[];
  /** The choice with which the replicates were analyzed. */
  choice: MeltingChoice;
  evidence: MeltingEvidence;
  sharedSlopes: MeltingProvenance['sharedSlopes'];
  /** Replicates that were left out. */
  excluded: ExcludedReplicate[];
  controls: PlateControls[];
}

export interface PartOptions {
  /** Number of sets before the first one, to number plates without a name. */
  firstPlate: number;
  /** The known part of the choice; the wells at hand decide the rest. */
  choice: Partial<MeltingChoice>;
  excluded?: readonly ExcludedReplicate[] | undefined;
}

interface Examined {
  well: Well;
  examination: Examination | null;
  joint: JointMelt | null;
}

export function evaluateMelts(
  sets: readonly MeltSet[],
  settings: MeltingSettings,
  { firstPlate, choice: known, excluded }: PartOptions,
): MeltingPart {
  const exclusions = new Exclusions(excluded);
  const plates = sets.map((set, index) => ({ set, ...buildWells(set, firstPlate + index, settings) }));
  const kept = plates.map((each) => ({ ...each, wells: exclusions.leaveOut(each.plate, each.wells) }));
  const wells = kept.flatMap((each) => each.wells);
  const onlyDye = wells.every((well) => well.channel === 'dye');
  const onlyIntrinsic = wells.length > 0 && wells.every(({ isIntrinsicGuessed }) => isIntrinsicGuessed);
  const shape = known.shape ?? chooseShape({ onlyDye, onlyIntrinsic }, settings);
  const examined = wells.map((well): Examined => {
    if (well.curve === null) return { well, examination: null, joint: null };
    const isDye = mayBeDye(well, settings);
    const curve = leaveOut(well.curve, well.plateaus);
    return { well, examination: examineUntilPrecipitation(curve, { shape, isDye }, settings), joint: null };
  });
  const notices = plates.flatMap((each) => each.notices);
  const sharedSlopes = shape === 'two_state' ? shareSlopes(examined, settings, notices) : null;
  if (shape === 'two_state') joinReplicates(examined, settings, notices);
  const evidence = { onlyDye, onlyIntrinsic, ...collectEvidence(examined) };
  const method = known.method ?? chooseMethod(evidence, shape, settings);
  return {
    notices,
    plates: plates.map(({ plate, set }) => ({ plate, instrument: set.instrument })),
    replicates: examined.map(({ well, examination, joint }) => {
      const evaluation = evaluateWell(well, examination, method, settings);
      return method === 'two_state' ? { ...evaluation, joint } : evaluation;
    }),
    choice: { shape, method },
    evidence,
    sharedSlopes,
    excluded: exclusions.listMatched(),
    controls: kept.map(({ set, plate, wells: left }) =>
      countControls(
        plate,
        set.statedControls ?? listStatedControls(set.traces),
        left.map(({ well, role }) => ({ id: well, role })),
      ),
    ),
  };
}

/**
 * Dye curves fall after their maximum, which no two-state baseline describes, so they are fitted as Boltzmann curves.
 */
export function chooseShape(
  { onlyDye, onlyIntrinsic }: Pick<MeltingEvidence, 'onlyDye' | 'onlyIntrinsic'>,
  { method }: MeltingSettings,
): FittedShape {
  if (method === 'two_state' || method === 'boltzmann') return method;
  return onlyDye && !onlyIntrinsic ? 'boltzmann' : 'two_state';
}

/**
 * Chooses the model if it describes the curves in which it finds a transition, and misses no more curves than it
 * finds.
 */
export function chooseMethod(
  { r2, missed }: Pick<MeltingEvidence, 'r2' | 'missed'>,
  shape: FittedShape,
  { method, limits }: MeltingSettings,
): TmMethod {
  if (method !== 'auto') return method;
  const fits = missed <= r2.length && (r2.length === 0 || computeMedian(r2) > limits.r2Min);
  return fits ? shape : 'derivative';
}

/** Joins the evidence of several parts. */
export function joinEvidence(parts: readonly MeltingPart[]): MeltingEvidence {
  return {
    onlyDye: parts.every(({ evidence }) => evidence.onlyDye),
    onlyIntrinsic: parts.every(({ evidence }) => evidence.onlyIntrinsic),
    r2: parts.flatMap(({ evidence }) => evidence.r2),
    missed: parts.reduce((sum, { evidence }) => sum + evidence.missed, 0),
  };
}

/** A two-state setting implies intrinsic fluorescence, whatever name the channel has. */
function mayBeDye({ channel }: Well, { method }: MeltingSettings): boolean {
  return channel === 'dye' && method !== 'two_state';
}

/** Fits the wells of each sample together, where their signals are weak. */
function joinReplicates(examined: Examined[], settings: MeltingSettings, notices: string[]): void {
  const joined: string[] = [];
  const samples = Map.groupBy(examined, ({ well: { plate, role, sample, concentrationM, channel } }) =>
    JSON.stringify([plate, role, sample, concentrationM, channel]),
  );
  for (const wells of samples.values()) {
    const usable = wells.flatMap(({ well, examination }) =>
      examination === null || well.plateaus.length > 0 ? [] : [examination],
    );
    if (usable.length < wells.length) continue;
    const jointFit = fitJointly(
      usable,
      wells.every(({ well }) => !well.isRatio),
      settings.limits,
    );
    const isFall = jointFit !== null && jointFit.amplitude < 0 && mayBeDye(wells[0].well, settings);
    const joint = isFall ? null : jointFit;
    for (const each of wells) each.joint = joint;
    if (joint !== null) joined.push(wells[0].well.sample);
  }
  if (joined.length > 0)
    notices.push(
      `The signal is weak: Tm is that of all replicates together, weighed with the ΔH and the baselines that proteins usually show, not the mean of single fits (${joined.join(', ')}).`,
    );
}

function collectEvidence(examined: readonly Examined[]): Pick<MeltingEvidence, 'r2' | 'missed'> {
  const r2 = examined.flatMap(({ examination, joint }) => {
    if (examination?.fit && examination.none === null)
      return computeExplained(examination.fittedCurve, examination.fit);
    return joint === null ? [] : 1;
  });
  const missed = examined.filter(({ examination, joint }) => {
    const isSilent = joint === null && examination !== null && examination.none !== null;
    return isSilent && examination.inflections.length > 0;
  });
  return { r2, missed: missed.length };
}

/**
 * Residuals that are noise leave nothing to explain, however strong the noise is. Not so for the rise of a dye, because
 * one that is cut short also looks complete through noise.
 */
function computeExplained(curve: Curve, fit: MeltFit): number {
  const { explained, isStructured } = measureMisfit(curve, fit);
  return isStructured || fit.model.shape === 'boltzmann' ? explained : 1;
}

type SharedSlopes = MeltingProvenance['sharedSlopes'];

/** The fewest concentrations of a titration: two wells more than slopes to share. */
const TITRATION_MIN = 3;

/** Fits curves that have a transition again, with one pair of slopes: all of them, or those of each titration. */
function shareSlopes(examined: Examined[], settings: MeltingSettings, notices: string[]): SharedSlopes {
  if (settings.baseline === 'auto') {
    const titrations = Map.groupBy(examined, ({ well: { plate, role, sample } }) =>
      JSON.stringify([plate, role, sample]),
    );
    let shared: SharedSlopes = null;
    for (const wells of titrations.values()) {
      const concentrations = new Set(wells.map(({ well }) => well.concentrationM));
      if (concentrations.size >= TITRATION_MIN) shared = shareAmong(wells, settings, notices) ?? shared;
    }
    return shared;
  }
  return settings.baseline === 'shared' ? shareAmong(examined, settings, notices) : null;
}

function shareAmong(
  examined: readonly Examined[],
  settings: MeltingSettings,
  notices: string[],
): SharedSlopes {
  const usable = examined.flatMap(({ examination }) =>
    examination?.fit && examination.none === null ? [{ examination, fit: examination.fit }] : [],
  );
  if (usable.length < 2) {
    notices.push('Fewer than two curves have a transition: their baselines could not be shared.');
    return null;
  }
  const straight = usable.map(({ examination, fit }) => asStraight(examination, fit));
  const shared = fitSharedSlopes(
    usable.map((each) => each.examination.fittedCurve),
    straight,
  );
  for (const [k, { examination, fit }] of usable.entries()) {
    examination.freeTmC = fit.transitions[0].tmC;
    examination.fit = shared.fits[k];
    examination.none = evaluateTransition(examination, shared.fits[k], settings);
  }
  const { foldedPerC, unfoldedPerC, converged } = shared;
  return { foldedPerC, unfoldedPerC, converged };
}

/** Slopes are shared by fits of one transition without quenching. */
function asStraight({ fittedCurve }: Examination, fit: MeltFit): MeltFit {
  const { model } = fit;
  if (!model.isQuenched && model.transitions === 1) return fit;
  return fitMelt(fittedCurve, { ...model, transitions: 1, isQuenched: false });
}
