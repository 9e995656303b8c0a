/** Which test files share a process, and in which order the processes start. */

/** These are about a process, its memory or its time, or they fill it: each has one of its own. */
const ALONE: readonly string[] = [
  // They change the registry before anything reads it.
  'tests/conformance/added-assay.test.ts',
  'tests/journeys/added-assay.test.ts',
  'tests/chaos/',
  'tests/fuzz/requests-fuzz.test.ts',
  'tests/hostile/sockets.test.ts',
  'tests/hostile/slow.test.ts',
  'tests/hostile/stalls.test.ts',
  'tests/launcher/',
  'tests/nightly/',
  'src/adapters/postgres/embedded',
];

/**
 * A process ends after about this much work, so that the last ones end together, and one failure does not lose much. It
 * takes seconds until its modules are loaded, its schemas compiled and its functions optimized.
 */
const GROUP_SECONDS = 400;
const GROUP_FILES = 120;
/** Of a file that no run has timed. */
const UNKNOWN_SECONDS = 3;

export interface TimedFile {
  /** From the root of the repository. */
  readonly name: string;
  readonly seconds: number | undefined;
}

/** Groups of neighbors, the longest first. */
export function groupFiles(files: readonly TimedFile[]): string[][] {
  const groups: { readonly names: string[]; seconds: number }[] = [];
  const open = new Map<string, { readonly names: string[]; seconds: number }>();
  for (const { name, seconds = UNKNOWN_SECONDS } of files.toSorted(compareNames)) {
    const key = isAlone(name) ? name : findNeighborhood(name);
    let group = open.get(key);
    const isFull =
      group !== undefined &&
      (group.names.length >= GROUP_FILES || (group.seconds > 0 && group.seconds + seconds > GROUP_SECONDS));
    if (group === undefined || isFull) {
      group = { names: [], seconds: 0 };
      open.set(key, group);
      groups.push(group);
    }
    group.names.push(name);
    group.seconds += seconds;
  }
  return groups.toSorted((a, b) => b.seconds - a.seconds).map(({ names }) => names);
}

function compareNames(a: TimedFile, b: TimedFile): number {
  return a.name < b.name ? -1 : 1;
}

function isAlone(name: string): boolean {
  return ALONE.some((start) => name.startsWith(start));
}

/** Files of `tests/` need the whole service, and those of one folder the same parts of it; those of `src/` need little. */
function findNeighborhood(name: string): string {
  const [room = ''] = name.split('/');
  return room;
}
