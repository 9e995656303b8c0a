/** What people leave out: replicates, or single curves of them, and the controls that a plate loses by it. */
import { isSameConcentration, formatConcentration } from '#core/number-words.ts';
import { AnalysisError } from '../failures/errors.ts';
import { formatNames } from './settings.ts';
import { formatCount } from '#core/words.ts';
import type { ControlRole, PlannedControl } from '#core/raw-mapping.ts';
import type { StatedControls } from '../curves/trace.ts';
import { createFlag, removeDuplicateFlags, type Flag } from '../quality/flags.ts';

export interface ExcludedReplicate {
  sample: string;
  /** As the results name it. */
  plate: string;
  /** 1-based, within the sample. */
  replicate: number;
  /** Null for a measurement by several sensors, or where the plate has only one well of this replicate. */
  well: string | null;
  /** Leaves out only the curves of this concentration, in M; null for the whole replicate. */
  concentrationM: number | null;
}

type Measured = Pick<ExcludedReplicate, 'sample' | 'replicate'> & { readonly well?: string | null };

/** The exclusions of a run; it remembers which of them matched, so that a wrong one does not go unnoticed. */
export class Exclusions {
  private readonly matched = new Set<ExcludedReplicate>();
  private readonly exclusions: readonly ExcludedReplicate[];

  constructor(exclusions: readonly ExcludedReplicate[] = []) {
    this.exclusions = exclusions;
  }

  /** Returns what is left of the wells or replicates of a plate. A measurement without `well` matches any well. */
  leaveOut<Each extends Measured>(plate: string, measured: readonly Each[]): Each[] {
    if (this.exclusions.length === 0) return [...measured];
    return measured.filter((each) => {
      const matches = this.exclusions.filter((one) => isSame(one, plate, each));
      const whole = matches.filter(({ concentrationM }) => concentrationM === null);
      // Of a replicate that is left out nobody looks for single curves any more.
      for (const match of whole.length > 0 ? matches : []) this.matched.add(match);
      return whole.length === 0;
    });
  }

  /** Returns those of the curves of a replicate that are left out. */
  selectCurves<Curve extends { readonly concentrationM: number }>(
    plate: string,
    replicate: Measured,
    curves: readonly Curve[],
  ): Curve[] {
    const matches = this.exclusions.filter(
      (one) => one.concentrationM !== null && isSame(one, plate, replicate),
    );
    if (matches.length === 0) return [];
    return curves.filter((curve) => {
      const match = matches.find(({ concentrationM }) =>
        isSameConcentration(concentrationM ?? 0, curve.concentrationM),
      );
      if (match !== undefined) this.matched.add(match);
      return match !== undefined;
    });
  }

  /** The exclusions that matched so far, as plain data. */
  listMatched(): ExcludedReplicate[] {
    return [...this.matched];
  }
}

function isSame(one: ExcludedReplicate, plate: string, each: Measured): boolean {
  const isWell = one.well === null || each.well === undefined || each.well === null || one.well === each.well;
  return isWell && one.plate === plate && one.sample === each.sample && one.replicate === each.replicate;
}

/** Throws `settings_invalid` for replicates that no file has. */
export function assertExcluded(
  exclusions: readonly ExcludedReplicate[] | undefined,
  matched: readonly ExcludedReplicate[],
): void {
  const toKey = ({ sample, plate, replicate, well, concentrationM }: ExcludedReplicate): string =>
    JSON.stringify([sample, plate, replicate, well, concentrationM]);
  const known = new Set(matched.map(toKey));
  const unknown = (exclusions ?? []).filter((each) => !known.has(toKey(each)));
  if (unknown.length === 0) return;
  const names = unknown.map(({ sample, replicate, plate, concentrationM }) => {
    const dose = concentrationM === null ? '' : `, ${formatConcentration(concentrationM)}`;
    return `${sample} replicate ${replicate} on ${plate}${dose}`;
  });
  throw new AnalysisError(
    'settings_invalid',
    `Replicates were excluded that no file has: ${formatNames(names)}. Accept them again.`,
  );
}

/**
 * Controls that the files or the plan of a run name and that do not count, because people left them out or called them
 * something else: in a review, by a mapping, or by a setting. They may have failed, so the results of their plate say it.
 */

/** A trace or a well that the analysis takes into account, in the role that it has there. */
interface Kept {
  readonly id: string;
  readonly role: string;
}

/** The controls of one kind on a plate. */
interface ControlCount {
  readonly role: ControlRole;
  readonly nStated: number;
  readonly nLost: number;
  /** Those that people named are among them. */
  readonly nCounted: number;
  /** Names in the files of those that are lost. */
  readonly lost: readonly string[];
}

/** Plain data, so that a job can hand it back. */
export interface PlateControls {
  readonly plate: string;
  readonly counts: readonly ControlCount[];
}

interface FlaggedPlate {
  readonly plate: string;
  pass: boolean;
  flags: Flag[];
}

interface FlaggedReplicate {
  readonly plate: string;
  flags: Flag[];
}

const KINDS = { positive_control: 'positive control', negative_control: 'negative control' } as const;

/** So many negative controls may be lost without a word, because a plate may also have so many that bind. */
const NEGATIVES_LOST_MAX = 0.25;

/** `kept` are traces or wells after review, mapping and settings. */
export function countControls(plate: string, stated: StatedControls, kept: readonly Kept[]): PlateControls {
  const roles = new Map(kept.map(({ id, role }) => [id, role]));
  const counts = (['positive_control', 'negative_control'] as const).map((role): ControlCount => {
    const own = stated.filter((each) => each.role === role);
    const lost = own.filter(({ id }) => roles.get(id) !== role);
    return {
      role,
      nStated: own.length,
      nLost: lost.length,
      nCounted: [...roles.values()].filter((each) => each === role).length,
      lost: [...new Set(lost.map(({ sample }) => sample))],
    };
  });
  return { plate, counts };
}

/**
 * Fails plates that lost their controls, and tells it with each of their replicates. A plan without a plate of that name
 * speaks of the only plate.
 */
export function flagLostControls(
  plates: readonly FlaggedPlate[],
  replicates: readonly FlaggedReplicate[],
  {
    controls,
    planned = [],
  }: {
    readonly controls: readonly PlateControls[];
    readonly planned?: readonly PlannedControl[] | undefined;
  },
): void {
  const byPlate = new Map(plates.map((each) => [each.plate, each]));
  const planNames = new Set(planned.map(({ plate }) => plate));
  const isOnly = controls.length === 1 && planNames.size === 1;
  for (const { plate, counts } of controls) {
    const ofPlan = planned.filter((each) => each.plate === plate || isOnly);
    const messages = counts.flatMap((count) => describeLoss(plate, count, ofPlan) ?? []);
    const judged = byPlate.get(plate);
    if (messages.length === 0 || judged === undefined) continue;
    const flag = createFlag('CONTROL_MISSING', 'warning', messages.join(' '));
    judged.pass = false;
    for (const each of [judged, ...replicates.filter((one) => one.plate === plate)])
      each.flags = removeDuplicateFlags([flag, ...each.flags]);
  }
}

function describeLoss(
  plate: string,
  { role, nStated, nLost, nCounted, lost }: ControlCount,
  planned: readonly PlannedControl[],
): string | null {
  const kind = KINDS[role];
  const consequence = `nothing on it shows that ${role === 'positive_control' ? 'it measures what is there' : 'it measures nothing where nothing is'}.`;
  if (nLost > 0 && nCounted === 0)
    return `${plate} has no ${kind} that counts, because ${formatNames(lost)} was left out: ${consequence}`;
  if (nLost > (role === 'positive_control' ? 0 : NEGATIVES_LOST_MAX * nStated))
    return `Of ${formatCount(nStated, 'measurement')} of the ${kind} on ${plate}, ${nLost} (${formatNames(lost)}) ${nLost === 1 ? 'was' : 'were'} left out and may have failed.`;
  const names = [...new Set(planned.filter((each) => each.role === role).map(({ sample }) => sample))];
  if (nCounted > 0 || names.length === 0) return null;
  return `${plate} has no ${kind} that counts, although the plan has ${formatNames(names)}: ${consequence}`;
}
