/**
 * A thermostability run of any size: workers read and fit its files one by one. The model and the method are those of the experiment,
 * which no file knows: each is judged by what its own wells suggest, and the few that turn out otherwise than the whole once more.
 */
import { assayOfMelts, type AssayJob, type AssayResult } from '../pack-result.ts';
import type { Progress } from '../../pool/analyze-run.ts';
import { isMeltText } from '../../formats/parse-wells.ts';
import type { MeltJob, MeltPart, SurveyedMelts, SurveyJob } from './melt-part.ts';
import { combineMelting } from './melting.ts';
import { joinedEvidence, methodOf, shapeOf } from './part.ts';
import type { MeltingChoice } from './part.ts';
import { resolveMeltingSettings } from './settings.ts';
import { sideBySide } from '../../pool/side-by-side.ts';
import { opened } from '../../formats/reading/stored-file.ts';

export interface MeltRunner {
  /** Files it works on at the same time. */
  readonly size: number;
  runMelts(job: MeltJob): Promise<MeltPart>;
  surveyMelts(job: SurveyJob): Promise<SurveyedMelts>;
}

/** Whether the files can be judged one by one: not where their baselines are fitted together. Throws `settings_invalid`. */
export function isDivisible({ files, settings = {} }: AssayJob): boolean {
  return files.length > 1 && resolveMeltingSettings(settings).baseline !== 'shared';
}

/** Gives what `analyzeAssay` gives of the same files. Rejects like it and the runner, with the first failure. */
export async function analyzeMelts(
  { files, settings: given = {} }: AssayJob,
  runner: MeltRunner,
  onProgress?: Progress,
): Promise<AssayResult> {
  const settings = resolveMeltingSettings(given);
  const survey = await surveyed(files, runner);
  const jobs = survey.flatMap(({ file, sets, map, firstPlate }): MeltJob[] =>
    sets === 0 ? [] : [{ file, settings: given, map, firstPlate, choice: {} }],
  );
  const judge = async (some: readonly MeltJob[]): Promise<MeltPart[]> => {
    let settled = jobs.length - some.length;
    return sideBySide(some, runner.size, async (job) => {
      const part = await runner.runMelts(job);
      settled += 1;
      onProgress?.(settled, jobs.length);
      return part;
    });
  };
  let parts = await judge(jobs);
  const settle = async (choice: Partial<MeltingChoice>, isOther: (own: MeltingChoice) => boolean) => {
    const others = [...parts.keys()].filter((index) => isOther(parts[index].choice));
    const again = await judge(others.map((index) => ({ ...jobs[index], choice })));
    parts = parts.map((part, index) => again[others.indexOf(index)] ?? part);
  };
  const shape = shapeOf(joinedEvidence(parts).onlyDye, settings);
  await settle({ shape }, (own) => own.shape !== shape);
  const method = methodOf(joinedEvidence(parts), shape, settings);
  await settle({ shape, method }, (own) => own.method !== method);
  const inputOf = new Map(parts.map(({ input }, index) => [jobs[index].file, input]));
  const inputs = survey.flatMap(({ file, input }) => inputOf.get(file) ?? input ?? []);
  return assayOfMelts(combineMelting(parts, settings, inputs));
}

interface Surveyed extends Pick<MeltJob, 'file' | 'map' | 'firstPlate'> {
  sets: number;
  /** Of a file that was opened for the survey. */
  input: MeltPart['input'] | null;
}

/** How many sets each file holds, and the map that is for all: most files say by their first bytes that they are one set. */
async function surveyed(files: AssayJob['files'], runner: MeltRunner): Promise<Surveyed[]> {
  const unknown = files.filter((file) => !isMeltText(opened(file)));
  const others = files.length - unknown.length;
  const found: SurveyedMelts =
    unknown.length === 0
      ? { sets: [], map: null, inputs: [] }
      : await runner.surveyMelts({ files: unknown, others });
  let firstPlate = 0;
  return files.map((file): Surveyed => {
    const at = unknown.indexOf(file);
    const sets = found.sets[at] ?? 1;
    const here = { file, sets, map: found.map, firstPlate, input: found.inputs[at] ?? null };
    firstPlate += sets;
    return here;
  });
}
