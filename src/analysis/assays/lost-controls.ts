/**
 * Controls that the files or the plan of a run name and that do not count, because people left them out or called them
 * something else: in a review, by a mapping, or by a setting. They may have failed, so the results of their plate say it.
 */
import { formatCount } from '#core/counts.ts';
import type { ControlRole, PlannedControl } from '#core/raw-mapping.ts';
import type { StatedControls } from '../curves/stated-controls.ts';
import { createFlag, removeDuplicateFlags } from '../quality/flags.ts';
import type { Flag } from '../quality/flags.ts';
import { formatNames } from './settings.ts';

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
