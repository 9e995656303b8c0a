/** Combines wells to one melting temperature per sample: linear means, spread, rank, difference to controls. */
import { formatCount } from '#core/words.ts';
import { buildRankRange } from '#core/ranking.ts';
import { decideAggregateRelation } from '#core/relations.ts';
import { type Outcome, assignPlaces } from '#analysis/assays/analysis-records.ts';
import { createFlag, removeDuplicateFlags, type Flag } from '#analysis/quality/flags.ts';
import {
  createMeasuredQuantity,
  createMeasuredWithin,
  applyDoubts,
  type Quantity,
} from '#analysis/quantities/quantity.ts';
import { computeMean, computeStandardDeviation } from '#analysis/numerics/statistics.ts';
import { computeUnknownSe } from './brightness.ts';
import type { BeyondShape } from './doubts.ts';
import type { JointMelt } from './joint-fit.ts';
import { average, matchTransitions } from './match-transitions.ts';
import { CLEAR } from './no-transition.ts';
import { computeOnset } from './replicate.ts';
import type { MeltingSettings } from './settings.ts';
import type { DeltaTm, ReplicateMelting, SequenceMelting, TransitionSummary } from './types.ts';

/** Combines all wells of one sample, in any order. Wells that share a replicate number get consecutive numbers. */
export function aggregateMelting(wells: ReplicateMelting[], settings: MeltingSettings): SequenceMelting {
  const replicates = renumberReplicates(wells);
  const [first] = replicates;
  const withTm = replicates.filter((each) => each.tm !== null);
  const passed = replicates.filter((each) => each.outcome === 'measured');
  const outcome = combineOutcomes(replicates);
  const joint = findJoint(passed);
  const speaks = joint !== null || withTm.length >= passed.length / 2 ? withTm : [];
  const pick = (
    from: readonly ReplicateMelting[],
    of: (each: ReplicateMelting) => Quantity | null,
  ): Quantity | null => average(from.flatMap((each) => of(each) ?? []));
  const found = joint === null ? matchTransitions(speaks) : [summarizeJoint(joint, speaks)];
  // What a dye does after its step no protein does, so its wells have to show the step by themselves.
  const isAlone = joint === null || first.channel === 'dye';
  const isShown = isAlone ? 2 * withTm.length > passed.length : speaks.length > 0;
  const tmAll = isShown ? found : found.map(addDoubt);
  const temperatures = speaks.flatMap((each) => each.tm?.value ?? []);
  const tmSdC = temperatures.length > 1 ? computeStandardDeviation(temperatures) : null;
  const fits = speaks.flatMap((each) => each.fit?.r2 ?? []);
  const silent =
    passed.find((each) => each.noTransition !== null) ??
    replicates.find((each) => each.noTransition !== null);
  return {
    sample: first.sample,
    role: first.role,
    isControl: first.role !== 'sample',
    concentrationM: first.concentrationM,
    outcome,
    place: null,
    rankRange: null,
    tm: tmAll[0]?.tm ?? null,
    tmSdC,
    tmAll,
    tonset: joint === null ? pick(speaks, (each) => each.tonset) : stateJointOnset(joint),
    tagg: pick(passed, (each) => each.tagg),
    dh: joint === null ? pick(speaks, (each) => each.dh) : stateJointEnthalpy(joint),
    deltaTm: [],
    r2: fits.length === 0 ? null : Math.min(...fits),
    noTransition: speaks.length === 0 && joint === null ? (silent?.noTransition ?? null) : null,
    nReplicates: replicates.length,
    nReplicatesPassed: joint?.wells ?? (speaks.length > 0 ? speaks : passed).length,
    flags: removeDuplicateFlags(
      joint === null
        ? [
            ...findSpreadFlags(tmSdC, { withTm: withTm.length, passed: passed.length }, settings),
            ...replicates.flatMap((each) => each.flags),
          ]
        : listJointFlags(joint, replicates),
    ),
    replicates,
  };
}

/**
 * Where half of the replicates or more have no Tm, the others may show something else; and a common Tm that no well has by
 * itself rests on what proteins usually show alone.
 */
function addDoubt(found: TransitionSummary): TransitionSummary {
  const tm = applyDoubts(found.tm, { transition_not_in_all: true });
  return { ...found, tm, doubt: found.doubt ?? 'transition_not_in_all' };
}

/** What a well is too weak to say by itself is no flag of the common Tm: that it has no transition, or how little it knows of Tm. */
function listJointFlags(joint: JointMelt, replicates: readonly ReplicateMelting[]): Flag[] {
  const message = `The step is ${joint.amplitudeToNoise.toPrecision(2)} times the noise: Tm also rests on the ΔH and the baselines that proteins usually show.`;
  const weak = createFlag('TM_UNCERTAIN', 'warning', message, {
    value: joint.amplitudeToNoise,
    limit: CLEAR.amplitudeToNoise,
  });
  return [weak, ...replicates.flatMap(({ flags }) => flags.filter(({ code }) => code !== 'NO_TRANSITION'))];
}

/** Returns the common fit of the wells that count; one that was made with a well that failed later says nothing. */
function findJoint(passed: readonly ReplicateMelting[]): JointMelt | null {
  const [first] = passed;
  const joint = first?.joint ?? null;
  return joint !== null && joint.wells === passed.length && passed.every((each) => each.joint === joint)
    ? joint
    : null;
}

/**
 * States the common Tm, with the error that replicates share. A doubt counts where most of the wells show it: at this noise
 * one of them shows it by chance.
 */
function summarizeJoint(joint: JointMelt, speaks: readonly ReplicateMelting[]): TransitionSummary {
  const { shiftC, seC } = averageBeyondShape(joint, speaks);
  const { seTmC, amplitude, width, wells } = joint;
  const found = { ...createMeasuredWithin(joint.tmC + shiftC, '°C', Math.hypot(seTmC, seC)), n: wells };
  const doubted = speaks.flatMap(({ tm }) => (tm === null || tm.relation === '=' ? [] : tm.relation));
  const isDoubted = 2 * doubted.length > speaks.length;
  return {
    tmC: found.value,
    seTmC,
    height: amplitude,
    dhKcalPerMol: width,
    tm: isDoubted ? { ...found, relation: decideAggregateRelation(doubted) } : found,
    sharedSeC: seC,
    doubt: isDoubted
      ? (speaks.find(({ tmAll: [first] }) => first.doubt !== null)?.tmAll[0].doubt ?? null)
      : null,
  };
}

/** Where no well has a Tm by itself, only what is unknown of every ratio is left. */
function averageBeyondShape(joint: JointMelt, speaks: readonly ReplicateMelting[]): BeyondShape {
  const known = speaks.flatMap(({ beyondShape }) => beyondShape ?? []);
  if (known.length === 0)
    return { shiftC: 0, seC: joint.isLight ? 0 : computeUnknownSe(joint, 'thermodynamic') };
  return {
    shiftC: computeMean(known.map(({ shiftC }) => shiftC)),
    seC: Math.sqrt(computeMean(known.map(({ seC }) => seC ** 2))),
  };
}

function stateJointEnthalpy({ width, seLnWidth, wells }: JointMelt): Quantity {
  return { ...createMeasuredQuantity(width, 'kcal/mol', seLnWidth), n: wells };
}

function stateJointOnset(joint: JointMelt): Quantity {
  return { ...computeOnset('thermodynamic', joint, joint.fromC), n: joint.wells };
}

function renumberReplicates(wells: readonly ReplicateMelting[]): ReplicateMelting[] {
  const distinct = new Set(wells.map((each) => each.replicate)).size === wells.length;
  const sorted = distinct ? wells.toSorted((a, b) => a.replicate - b.replicate) : wells;
  return sorted.map((each, i) => (distinct ? each : { ...each, replicate: i + 1 }));
}

function combineOutcomes(replicates: readonly ReplicateMelting[]): Outcome {
  const order: Outcome[] = ['measured', 'failed_qc'];
  return order.find((outcome) => replicates.some((each) => each.outcome === outcome)) ?? 'not_tested';
}

function findSpreadFlags(
  tmSdC: number | null,
  count: { withTm: number; passed: number },
  { limits }: MeltingSettings,
): Flag[] {
  const flags: Flag[] = [];
  if (tmSdC !== null && tmSdC > limits.replicateSdMaxC) {
    const message = 'The Tm of the replicates spreads widely (SD in °C).';
    flags.push(
      createFlag('REPLICATES_DISAGREE', 'warning', message, { value: tmSdC, limit: limits.replicateSdMaxC }),
    );
  } else if (count.withTm > 0 && count.withTm < count.passed) {
    const message = `${count.withTm} of ${formatCount(count.passed, 'replicate')} ${count.withTm === 1 ? 'shows' : 'show'} a transition.`;
    flags.push(createFlag('REPLICATES_DISAGREE', 'warning', message, { value: count.withTm }));
  }
  return flags;
}

/** Ranks by the intervals of Tm, the most stable first. */
export function rankByTm(sequences: readonly SequenceMelting[]): void {
  assignPlaces(sequences, ({ tm }) => (tm === null ? null : buildRankRange(tm, 'higher')));
}

/** Returns the differences to every positive control; the intervals of both are included. */
export function compareMelting(
  sequences: readonly SequenceMelting[],
  controls: readonly SequenceMelting[],
): void {
  const against = controls.filter((each) => each.role === 'positive_control' && each.tm !== null);
  for (const sequence of sequences)
    sequence.deltaTm = against.map((control) => computeDelta(sequence, control));
}

function computeDelta({ tm }: SequenceMelting, control: SequenceMelting): DeltaTm {
  const none = { control: control.sample, deltaC: null, ci95LowC: null, ci95HighC: null };
  if (tm === null || control.tm === null) return none;
  const deltaC = tm.value - control.tm.value;
  const computeHalfWidth = (of: Quantity): number | null =>
    of.ci95High === null ? null : of.ci95High - of.value;
  const own = computeHalfWidth(tm);
  const other = computeHalfWidth(control.tm);
  if (own === null || other === null) return { ...none, deltaC };
  const both = Math.hypot(own, other);
  return { ...none, deltaC, ci95LowC: deltaC - both, ci95HighC: deltaC + both };
}
