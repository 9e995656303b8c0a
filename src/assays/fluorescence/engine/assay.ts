/** The entry of fluorescence in the registry. */
import { mapPlateSets, selectMapping } from '#analysis/curves/map-wells.ts';
import { inspectWells } from '#analysis/formats/inspect.ts';
import { isPlateText, parsePlates, parseWellFiles } from '#analysis/formats/parse-wells.ts';
import {
  findRepeatingRun,
  namePlatesByRun,
  splitByRun,
  fingerprint,
  openFile,
} from '#analysis/formats/reading/input-file.ts';
import { createRunSets } from '#analysis/formats/run-sets.ts';
import type { Assay } from '#analysis/assays/assay.ts';
import type { InputFileRecord } from '#analysis/assays/analysis-records.ts';
import {
  packPart,
  joinPackedParts,
  type PackedResult,
  type PackedPart,
} from '#analysis/assays/pack-result.ts';
import { splitIntoPlates, type PlateJob } from '#analysis/assays/plate-jobs.ts';
import { analyzeFluorescenceSets, combineFluorescence, evaluateFluorescenceSets } from './fluorescence.ts';
import type { FluorescencePart } from './fluorescence.ts';
import { resolveFluorescenceSettings } from './settings.ts';
import type { FluorescenceAnalysis } from './types.ts';

type Result = PackedResult<FluorescenceAnalysis>;

interface EvaluatedFiles extends PackedPart<FluorescencePart> {
  inputs: InputFileRecord[];
}

export const fluorescence: Assay<PlateJob, EvaluatedFiles, Result> = {
  reads: 'values',
  resolveSettings: resolveFluorescenceSettings,
  inspect: (file) => inspectWells(file, 'values'),
  read: (files) => createRunSets(parseWellFiles(files)),
  rehearse: ({ plates }, { settings, mapping }) =>
    void analyzeFluorescenceSets(mapPlateSets(plates, mapping), settings),
  *split(run) {
    const { settings = {}, excluded, plannedControls } = run;
    resolveFluorescenceSettings(settings);
    const parts = yield* splitIntoPlates<EvaluatedFiles>(run, isPlateText);
    const inputs = parts.flatMap((part) => part.inputs);
    const found = yield* combineFluorescence(
      parts.map((part) => part.found),
      settings,
      { inputs, excluded, plannedControls },
    );
    return joinPackedParts(found, parts);
  },
  evaluate({ files, settings = {}, mapping = [], excluded, firstPlate }, onRead, keep) {
    const inputs = files.map(fingerprint);
    const sets = splitByRun(files).flatMap((ofRun) => {
      const run = findRepeatingRun(ofRun[0]);
      const plates = parsePlates(ofRun.map(openFile), onRead);
      return namePlatesByRun(mapPlateSets(plates, selectMapping(mapping, run)), run);
    });
    const found = evaluateFluorescenceSets(sets, settings, { firstPlate, excluded });
    return { inputs, ...packPart(found, keep) };
  },
};
