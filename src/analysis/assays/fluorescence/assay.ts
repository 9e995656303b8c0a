/** The entry of fluorescence in the registry. */
import { inspectWells } from '../../formats/inspect.ts';
import { parsePlates } from '../../formats/parse-wells.ts';
import { findRepeatingRun, namePlatesByRun, splitByRun } from '../../formats/reading/run-of-file.ts';
import { fingerprint, openFile } from '../../formats/reading/stored-file.ts';
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
  split: splitWhole,
  evaluate({ files, settings = {}, excluded }, onRead) {
    const inputs = files.map(fingerprint);
    const sets = splitByRun(files).flatMap((ofRun) =>
      namePlatesByRun(parsePlates(ofRun.map(openFile), onRead), findRepeatingRun(ofRun[0])),
    );
    return packResult(analyzeFluorescenceSets(sets, settings, inputs, excluded));
  },
};
