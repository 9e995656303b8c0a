/** Handles sensors with the same sample, replicate and concentration. */
import { isSameConcentration } from '#core/number-words.ts';
import { createFlag } from '#analysis/quality/flags.ts';
import type { AlignedTrace } from './align.ts';
import type { ReplicateGroup } from './plate.ts';

/**
 * Treats the second sensor of a concentration as another replicate, which gets the next free number. Pooling two
 * samples with one name would give a result that is true of neither. The sample's sensors in buffer serve all of its
 * replicates.
 */
export function splitRepeats(groups: readonly ReplicateGroup[]): ReplicateGroup[] {
  const next = new Map<string, number>();
  for (const group of groups)
    next.set(getKey(group), Math.max(next.get(getKey(group)) ?? 0, group.replicate));
  return groups.flatMap((group) => {
    const rounds = groupRounds(group.dips);
    if (rounds.length <= 1) return [group];
    const parts = rounds.map((dips, index): ReplicateGroup => {
      if (index === 0) return { ...group, dips };
      const replicate = (next.get(getKey(group)) ?? 0) + 1;
      next.set(getKey(group), replicate);
      return { ...group, replicate, dips, unusable: [], flags: [] };
    });
    const numbers = parts.map(({ replicate }) => replicate).join(', ');
    const message = `The files number these sensors as one replicate although they repeat concentrations: they were treated as replicates ${numbers}, in the order of the file.`;
    for (const part of parts) part.flags.push(createFlag('REPLICATES_SPLIT', 'info', message));
    return parts;
  });
}

/** Returns the first sensor of every concentration, then the second ones, and so on. */
function groupRounds(dips: readonly AlignedTrace[]): AlignedTrace[][] {
  const rounds: AlignedTrace[][] = [];
  for (const dip of dips) {
    const concentrationM = dip.trace.concentrationM ?? 0;
    const free = rounds.find((round) =>
      round.every(({ trace }) => !isSameConcentration(trace.concentrationM ?? 0, concentrationM)),
    );
    if (free === undefined) rounds.push([dip]);
    else free.push(dip);
  }
  return rounds;
}

function getKey({ role, sample }: ReplicateGroup): string {
  return JSON.stringify([role, sample]);
}
