/** What each test file was found to execute, and for how long it ran: `tests/reach.json`, as a recording run wrote it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileTime } from './outcome.ts';

const PATH = join(import.meta.dirname, '..', '..', 'tests', 'reach.json');

export interface Reach {
  readonly seconds: number;
  /** Modules of `src/`, from the root of the repository; undefined where only the time is known. */
  readonly modules: ReadonlySet<string> | undefined;
}

/** A bit for each module, in the order of `modules`, in base64. */
interface Written {
  readonly modules: readonly string[];
  readonly files: Readonly<Record<string, { readonly seconds: number; readonly executes: string | null }>>;
}

export function readReach(): ReadonlyMap<string, Reach> {
  if (!existsSync(PATH)) return new Map();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what writeReach wrote
  const { modules, files } = JSON.parse(readFileSync(PATH, 'utf8')) as Written;
  return new Map(
    Object.entries(files).map(([file, { seconds, executes }]): [string, Reach] => {
      if (executes === null) return [file, { seconds, modules: undefined }];
      const bits = Buffer.from(executes, 'base64');
      const isSet = (index: number): boolean => ((bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
      return [file, { seconds, modules: new Set(modules.filter((_, index) => isSet(index))) }];
    }),
  );
}

/** Renews the seconds of files that ran; what each executes stays as it was recorded. */
export function writeTimes(root: string, times: readonly FileTime[]): void {
  const reach = new Map([...readReach()].filter(([file]) => existsSync(join(root, file))));
  for (const { file, seconds } of times) reach.set(file, { seconds, modules: reach.get(file)?.modules });
  write(reach);
}

/** Writes what the processes of a run left in a directory; of files that did not run, what was known stays. */
export function writeReach(root: string, directory: string, times: readonly FileTime[]): void {
  const reach = new Map<string, { seconds: number; modules: Set<string> | undefined }>();
  for (const [file, { seconds, modules }] of readReach())
    if (existsSync(join(root, file))) reach.set(file, { seconds, modules: modules && new Set(modules) });
  for (const { file, seconds } of times) reach.set(file, { seconds, modules: new Set() });
  for (const name of readdirSync(directory)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what record.ts wrote
    const { file, modules } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as {
      readonly file: string;
      readonly modules: readonly string[];
    };
    for (const module of modules) reach.get(file)?.modules?.add(module);
  }
  write(reach);
}

function write(reach: ReadonlyMap<string, Reach>): void {
  const modules = [...new Set([...reach.values()].flatMap((each) => [...(each.modules ?? [])]))].sort();
  const files: Record<string, { seconds: number; executes: string | null }> = {};
  for (const [file, each] of [...reach].sort(([a], [b]) => (a < b ? -1 : 1)))
    files[file] = {
      seconds: Math.round(each.seconds * 10) / 10,
      executes: each.modules === undefined ? null : toBits(modules, each.modules),
    };
  const written: Written = { modules, files };
  writeFileSync(PATH, `${JSON.stringify(written, null, 1)}\n`);
}

function toBits(modules: readonly string[], executed: ReadonlySet<string>): string {
  const bits = Buffer.alloc(Math.ceil(modules.length / 8));
  for (const [index, module] of modules.entries())
    if (executed.has(module)) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  return bits.toString('base64');
}
