/** The entry of fluorescence in the registry. */
import { mapPlateSets } from '../../curves/map-wells.ts';
import { inspectWells } from '../../formats/inspect.ts';
import { parsePlates, parseWellFiles } from '../../formats/parse-wells.ts';
import { fingerprint, openFile } from '../../formats/reading/stored-file.ts';
import { createRunSets } from '../../formats/run-sets.ts';
import type { Assay, AssayRun } from '../assay.ts';
import { splitWhole } from '../assay.ts';
import { packResult } from '../pack-result.ts';
import type { PackedResult } from '../pack-result.ts';
import { analyzeFluorescenceSets } from './fluorescence.ts';
import { resolveFluorescenceSettings } from './settings.ts';
import type { FluorescenceAnalysis } from './types.ts';

type Result = PackedResult<FluorescenceAnalysis>;

export const fluorescence: Assay<AssayRun, Result, Result> = {
  reads: 'values',
  resolveSettings: resolveFluorescenceSettings,
  inspect: (file) => inspectWells(file, 'values'),
  read: (files) => createRunSets(parseWellFiles(files)),
  split: splitWhole,
  evaluate({ files, settings = {}, mapping = [] }, onRead) {
    const inputs = files.map(fingerprint);
    const sets = mapPlateSets(parsePlates(files.map(openFile), onRead), mapping);
    return packResult(analyzeFluorescenceSets(sets, settings, inputs));
  },
};
