/** What each test file was found to execute, and for how long it ran: `tests/reach.json`, as a recording run wrote it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileTime } from './outcome.ts';

const PATH = join(import.meta.dirname, '..', '..', 'tests', 'reach.json');

export interface Reach {
  readonly seconds: number;
  /** Modules of `src/`, from the root of the repository. */
  readonly modules: ReadonlySet<string>;
}

/** A bit for each module, in the order of `modules`, in base64. */
interface Written {
  readonly modules: readonly string[];
  readonly files: Readonly<Record<string, { readonly seconds: number; readonly executes: string }>>;
}

export function readReach(): ReadonlyMap<string, Reach> {
  if (!existsSync(PATH)) return new Map();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what writeReach wrote
  const { modules, files } = JSON.parse(readFileSync(PATH, 'utf8')) as Written;
  return new Map(
    Object.entries(files).map(([file, { seconds, executes }]) => {
      const bits = Buffer.from(executes, 'base64');
      const isSet = (index: number): boolean => ((bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
      return [file, { seconds, modules: new Set(modules.filter((_, index) => isSet(index))) }];
    }),
  );
}

/** Writes what the processes of a run left in a directory. */
export function writeReach(directory: string, times: readonly FileTime[]): void {
  const executed = new Map(times.map(({ file }) => [file, new Set<string>()]));
  for (const name of readdirSync(directory)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what record.ts wrote
    const { file, modules } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as {
      readonly file: string;
      readonly modules: readonly string[];
    };
    for (const module of modules) executed.get(file)?.add(module);
  }
  const modules = [...new Set([...executed.values()].flatMap((found) => [...found]))].sort();
  const files: Record<string, { seconds: number; executes: string }> = {};
  for (const { file, seconds } of times.toSorted((a, b) => (a.file < b.file ? -1 : 1)))
    files[file] = { seconds: Math.round(seconds * 10) / 10, executes: toBits(modules, executed.get(file)) };
  const written: Written = { modules, files };
  writeFileSync(PATH, `${JSON.stringify(written, null, 1)}\n`);
}

function toBits(modules: readonly string[], executed: ReadonlySet<string> = new Set()): string {
  const bits = Buffer.alloc(Math.ceil(modules.length / 8));
  for (const [index, module] of modules.entries())
    if (executed.has(module)) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  return bits.toString('base64');
}
