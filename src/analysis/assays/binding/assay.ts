/**
 * What affinity and screening share: a run of sensors is judged a batch of files at a time.
 * This folder: what affinity and screening share. Not here: what only one of them needs.
 */
import { packCurves } from '../../curves/packed-curves.ts';
import type { TraceSet } from '../../curves/trace.ts';
import { inspectTraces } from '../../formats/inspect.ts';
import { isSelfContained, parseTraces } from '../../formats/parse.ts';
import { fingerprint, opened } from '../../formats/reading/stored-file.ts';
import type { RawFile } from '../../formats/reading/stored-file.ts';
import type { AffinityAnalysis, BindingPart, InputFileRecord, ReplicateAffinity } from '../affinity/types.ts';
import type { Assay, AssayRun } from '../assay.ts';
import type { ReplicateScreening, ScreeningAnalysis } from '../screening/types.ts';
import { flagAgainstOrder } from './against-order.ts';
import { resolveSettings } from './settings.ts';
import type { BindingSettings } from './settings.ts';

/** A batch of the files of a run. */
export interface BindingJob {
  files: RawFile[];
  settings: AssayRun['settings'];
  /** Files before its first one, to number plates that their files do not name. */
  firstPlate: number;
}

/** What a batch says, with its curves packed and the digests of what was read. */
export interface JudgedBatch<Replicate> {
  inputs: InputFileRecord[];
  binding: BindingPart<Replicate>;
}

type BindingReplicate = Pick<ReplicateAffinity | ReplicateScreening, 'replicate' | 'curves' | 'packedCurves'>;

interface BindingRules<Replicate, Analysis> {
  judge: (sets: readonly TraceSet[], settings: BindingSettings, firstPlate: number) => BindingPart<Replicate>;
  combine: (
    parts: readonly BindingPart<Replicate>[],
    settings: BindingSettings,
    inputs: InputFileRecord[],
  ) => Analysis;
}

export function makeBindingAssay<
  Replicate extends BindingReplicate,
  Analysis extends AffinityAnalysis | ScreeningAnalysis,
>({
  judge,
  combine,
}: BindingRules<Replicate, Analysis>): Assay<BindingJob, JudgedBatch<Replicate>, Analysis> {
  return {
    reads: 'traces',
    resolveSettings,
    inspect: inspectTraces,
    *split({ files, settings: given, ordered }) {
      const settings = resolveSettings(given);
      const jobs = splitIntoBatches(files).map((batch) => ({ ...batch, settings: given }));
      const parts = yield { jobs, nDone: 0 };
      const inputs = parts.flatMap((part) => part.inputs);
      const analysis = combine(
        parts.map(({ binding }) => binding),
        settings,
        inputs,
      );
      if (ordered !== undefined) flagAgainstOrder(analysis, ordered);
      return analysis;
    },
    evaluate({ files, settings, firstPlate }) {
      const resolved = resolveSettings(settings);
      const sets = parseTraces(files.map(opened));
      const inputs = files.map(fingerprint);
      const binding = judge(sets, resolved, firstPlate);
      for (const replicate of binding.replicates) {
        replicate.packedCurves = packCurves(replicate.replicate, replicate.curves);
        replicate.curves = [];
      }
      return { inputs, binding };
    },
  };
}

type Batch = Omit<BindingJob, 'settings'>;

/** A file that is a plate by itself is a batch; files that belong together (a Gator folder, the sensors of an Octet tray) are one. */
function splitIntoBatches(files: readonly RawFile[]): Batch[] {
  const batches: Batch[] = [];
  let together: Batch | null = null;
  for (const [firstPlate, file] of files.entries()) {
    if (isSelfContained(opened(file))) batches.push({ files: [file], firstPlate });
    else {
      together ??= { files: [], firstPlate };
      together.files.push(file);
    }
  }
  if (together !== null) batches.push(together);
  return batches.length === 0 ? [{ files: [], firstPlate: 0 }] : batches;
}
