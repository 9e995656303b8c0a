/** Which mappings of raw files by hand make sense for an order. */
import type { Problem } from '#core/failures.ts';
import { formatMapped, type MappingEntry } from '#core/raw-mapping.ts';
import type { GivenEntry } from './mapping-contract.ts';

/** Roles of wells that belong to an ordered sequence. */
const OF_SEQUENCES: ReadonlySet<string> = new Set(['sample', 'positive_control', 'negative_control']);

/** What has the names that a mapping may give. */
export type NameOwner = 'experiment' | 'plan';

export function toMapping(entries: readonly GivenEntry[]): MappingEntry[] {
  return entries.map(({ plate, well, sample, role, sequence, replicate }) => ({
    plate: plate ?? null,
    well: well ?? null,
    sample: sample ?? null,
    role,
    sequence: sequence ?? null,
    replicate: replicate ?? null,
  }));
}

/** Returns one sentence for each entry that is wrong. */
export function findMappingProblems(
  entries: readonly MappingEntry[],
  sequenceNames: ReadonlySet<string>,
  owner: NameOwner = 'experiment',
): Problem[] {
  const seen = new Set<string>();
  return entries.flatMap((entry, index): Problem[] => {
    const message = findEntryProblem(entry, { sequenceNames, owner }, seen);
    return message === null ? [] : [{ path: `entries/${index}`, message }];
  });
}

function findEntryProblem(
  entry: MappingEntry,
  { sequenceNames, owner }: { readonly sequenceNames: ReadonlySet<string>; readonly owner: NameOwner },
  seen: Set<string>,
): string | null {
  const { plate, well, sample, role, sequence } = entry;
  if ((well === null) === (sample === null)) return 'must name either a well or a sample of the files';
  const place = JSON.stringify([plate, well, sample]);
  if (seen.has(place)) return `names ${formatMapped(entry)} a second time`;
  seen.add(place);
  if (sequence === null) return null;
  if (!OF_SEQUENCES.has(role))
    return `gives a sequence to a well of the role ${role}: leave the sequence out`;
  return sequenceNames.has(sequence)
    ? null
    : `names the sequence ${sequence}, which the ${owner} does not have`;
}
