/**
 * The code that affinity and screening share: the sensors of a run are analyzed in batches of files.
 * This folder: what affinity and screening share. Not here: what only one of them needs.
 */
import { keepInMemory, packCurves } from '#analysis/curves/packed-curves.ts';
import { mapTraceSets, selectMapping, type RunMappingEntry } from '#analysis/curves/map-wells.ts';
import { inspectTraces } from '#analysis/formats/inspect.ts';
import { isSelfContained, parseTraces } from '#analysis/formats/parse.ts';
import {
  fingerprint,
  openFile,
  type RawFile,
  findRepeatingRun,
  namePlatesByRun,
  splitByRun,
} from '#analysis/formats/reading/input-file.ts';
import { createRunSets, parseTraceUploads } from '#analysis/formats/run-sets.ts';
import type { Assay, AssayRun, OrderedMeasurement } from '#analysis/assays/assay.ts';
import type { InputFileRecord } from '#analysis/assays/analysis-records.ts';
import type { ExcludedReplicate } from '#analysis/assays/exclusions.ts';
import { withOnlySequence, withTechnique, type OrderedRun } from './as-ordered.ts';
import { combineBindingParts, evaluateSets, assertAnalyzable, type BindingRules } from './analyze.ts';
import { resolveSettings } from './settings.ts';
import type { BindingAnalysis, BindingPart, BindingReplicate, BindingSequence } from './types.ts';
import { removeDuplicateFlags, createFlag, type Flag } from '#analysis/quality/flags.ts';
import { compareSeries, type SeriesDifference } from '#analysis/assays/dose-series.ts';

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

/** Flags every sequence and control that was not measured as ordered. */
function flagAgainstOrder(analysis: BindingAnalysis, { concentrationsM, method }: OrderedMeasurement): void {
  const otherwise = new Map<string, string>();
  for (const { plate, technique } of analysis.plates)
    if (technique !== null && method !== null && technique !== method) otherwise.set(plate, technique);
  for (const each of [...analysis.sequences, ...analysis.controls]) {
    const found: Flag[] = [];
    const [technique] = each.replicates.flatMap(({ plate }) => otherwise.get(plate) ?? []);
    if (technique !== undefined) found.push(flagTechnique(technique, method ?? ''));
    const difference = compareSeries(each.concentrationsM, concentrationsM ?? []);
    if (difference !== null) found.push(flagConcentrations(difference));
    if (found.length > 0) each.flags = removeDuplicateFlags([...each.flags, ...found]);
  }
  for (const [plate, technique] of otherwise)
    analysis.notices.push(`${plate}: the file says ${technique}, the order ${String(method)}.`);
}

function flagTechnique(technique: string, ordered: string): Flag {
  const message = `The file says ${technique.toUpperCase()}, and ${ordered.toUpperCase()} was ordered; it was analyzed as the file states.`;
  return createFlag('TECHNIQUE_DIFFERS', 'warning', message);
}

function flagConcentrations(difference: SeriesDifference): Flag {
  const { measured, ordered, factor, isUnit, extra, missing } = difference;
  const series = `Measured at ${formatConcentrations(measured)}; the order has ${formatConcentrations(ordered)}`;
  if (factor !== null) {
    const size = `the doses differ by the factor ${Number(factor.toPrecision(3))}`;
    const message = `${series}: ${size}${isUnit ? ', which looks like an error of the unit' : ''}.`;
    return createFlag('CONCENTRATIONS_DIFFER', 'warning', message, { value: factor, limit: 1 });
  }
  const parts = [
    ...(extra.length > 0 ? [`measured and not ordered: ${formatConcentrations(extra)}`] : []),
    ...(missing.length > 0 ? [`ordered and not measured: ${formatConcentrations(missing)}`] : []),
  ];
  const message = `${series}; ${parts.join('; ')}.`;
  // A dose that is missing widens the interval of the fit by itself; a dose that nobody ordered may be a wrong one.
  const severity = extra.length > 0 ? 'warning' : 'info';
  return createFlag('CONCENTRATIONS_DIFFER', severity, message, { value: extra[0] ?? missing[0] });
}

function formatConcentrations(molar: readonly number[]): string {
  return `${molar.map((value) => Number((value * 1e9).toPrecision(4))).join(', ')} nM`;
}
