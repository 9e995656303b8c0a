/**
 * The code that affinity and screening share: the sensors of a run are analyzed in batches of files.
 * This folder: what affinity and screening share. Not here: what only one of them needs.
 */
import { keepInMemory } from '#analysis/curves/kept-curves.ts';
import { packCurves } from '#analysis/curves/packed-curves.ts';
import { mapTraceSets, selectMapping } from '#analysis/curves/map-wells.ts';
import type { RunMappingEntry } from '#analysis/curves/map-wells.ts';
import { inspectTraces } from '#analysis/formats/inspect.ts';
import { isSelfContained, parseTraces } from '#analysis/formats/parse.ts';
import { fingerprint, openFile } from '#analysis/formats/reading/stored-file.ts';
import type { RawFile } from '#analysis/formats/reading/stored-file.ts';
import { createRunSets, parseTraceUploads } from '#analysis/formats/run-sets.ts';
import type { Assay, AssayRun } from '#analysis/assays/assay.ts';
import type { InputFileRecord } from '#analysis/assays/analysis-records.ts';
import type { ExcludedReplicate } from '#analysis/assays/exclusions.ts';
import { findRepeatingRun, namePlatesByRun, splitByRun } from '#analysis/formats/reading/run-of-file.ts';
import { flagAgainstOrder } from './against-order.ts';
import { withOnlySequence, withTechnique } from './as-ordered.ts';
import type { OrderedRun } from './as-ordered.ts';
import { combineBindingParts, evaluateSets, assertAnalyzable } from './analyze.ts';
import type { BindingRules } from './analyze.ts';
import { resolveSettings } from './settings.ts';
import type { BindingAnalysis, BindingPart, BindingReplicate, BindingSequence } from './types.ts';

/** One batch of the files of a run. */
export interface BindingJob {
  files: RawFile[];
  settings: AssayRun['settings'];
  ordered: OrderedRun;
  mapping: readonly RunMappingEntry[];
  excluded?: readonly ExcludedReplicate[] | undefined;
  /** Number of files before the first one of the batch, to number plates without a name. */
  firstPlate: number;
}

/** The result of a batch, with packed curves and the digests of the files. */
export interface JudgedBatch<Replicate> {
  inputs: InputFileRecord[];
  binding: BindingPart<Replicate>;
}

export function createBindingAssay<
  Type extends string,
  Replicate extends BindingReplicate,
  Sequence extends BindingSequence<Replicate>,
>(
  rules: BindingRules<Type, Replicate, Sequence>,
): Assay<BindingJob, JudgedBatch<Replicate>, BindingAnalysis<Type, Sequence>> {
  return {
    reads: 'traces',
    resolveSettings: (settings) => resolveSettings(settings),
    inspect: inspectTraces,
    read: (files) => createRunSets({ traces: parseTraceUploads(files) }),
    rehearse({ traces }, { settings, mapping, method, names }) {
      const { assign } = resolveSettings(settings);
      const sets = mapTraceSets(traces, mapping)
        .map((set) => withTechnique(set, method))
        .map((set) => withOnlySequence(set, names, assign));
      assertAnalyzable(rules, sets, settings, names);
    },
    *split({ files, settings: given, ordered, sequences, mapping = [], excluded = [], plannedControls }) {
      resolveSettings(given);
      const known: OrderedRun = { method: ordered?.method ?? null, names: Object.keys(sequences ?? {}) };
      const jobs = splitIntoBatches(files).map((batch) => ({
        ...batch,
        settings: given,
        ordered: known,
        mapping,
        excluded,
      }));
      const parts = yield { jobs, nDone: 0 };
      const inputs = parts.flatMap((part) => part.inputs);
      const bindings = parts.map(({ binding }) => binding);
      const analysis = yield* combineBindingParts(rules, bindings, {
        input: given ?? {},
        names: known.names,
        inputs,
        excluded,
        plannedControls,
      });
      if (ordered !== undefined) flagAgainstOrder(analysis, ordered);
      return analysis;
    },
    evaluate({ files, settings, firstPlate, ordered, mapping, excluded }, _onRead, keep = keepInMemory) {
      const resolved = resolveSettings(settings);
      const run = findRepeatingRun(files[0]);
      const mapped = mapTraceSets(parseTraces(files.map(openFile)), selectMapping(mapping, run));
      const sets = namePlatesByRun(mapped, run)
        .map((set) => withTechnique(set, ordered.method))
        .map((set) => withOnlySequence(set, ordered.names, resolved.assign));
      const inputs = files.map(fingerprint);
      const binding = evaluateSets(rules, sets, settings ?? {}, { firstPlate, excluded: excluded ?? [] });
      for (const replicate of binding.replicates) {
        const packed = packCurves(replicate.replicate, replicate.curves);
        replicate.packedCurves = packed === null ? null : keep(packed);
        replicate.curves = [];
      }
      return { inputs, binding };
    },
  };
}

type Batch = Omit<BindingJob, 'settings' | 'ordered' | 'mapping' | 'excluded'>;

/**
 * A file that is a complete plate is a batch; files of a run that belong together (a Gator folder, the sensors of an
 * Octet tray) are one batch.
 */
function splitIntoBatches(files: readonly RawFile[]): Batch[] {
  const batches: Batch[] = [];
  let firstOfRun = 0;
  for (const ofRun of splitByRun(files)) {
    let together: Batch | null = null;
    for (const [index, file] of ofRun.entries()) {
      const firstPlate = firstOfRun + index;
      if (isSelfContained(openFile(file))) batches.push({ files: [file], firstPlate });
      else {
        together ??= { files: [], firstPlate };
        together.files.push(file);
      }
    }
    if (together !== null) batches.push(together);
    firstOfRun += ofRun.length;
  }
  return batches.length === 0 ? [{ files: [], firstPlate: 0 }] : batches;
}
