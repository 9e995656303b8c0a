/**
 * Jobs of the assays that evaluate each plate by itself, with the standards and controls on it: one file at a time where
 * each is a plate, so that a worker holds one plate of a run of any size.
 */
import { type InputFile, openFile, splitByRun } from '../formats/reading/input-file.ts';
import type { AssayRun, Split } from './assay.ts';

/** Files of a run, and how many of its plates come before them, to number plates without a name. */
export interface PlateJob extends AssayRun {
  firstPlate: number;
}

/** Returns the parts of all jobs, in the order of the files; one job where a file may be more or less than one plate. */
export function* splitIntoPlates<Part>(
  run: AssayRun,
  isOnePlate: (file: InputFile) => boolean,
): Split<PlateJob, Part, readonly Part[]> {
  const { files } = run;
  if (files.length < 2 || !files.every((file) => isOnePlate(openFile(file))))
    return yield { jobs: [{ ...run, firstPlate: 0 }], nDone: null };
  const ordered = splitByRun(files).flat();
  const jobs = ordered.map((file, index) => ({ ...run, files: [file], firstPlate: index }));
  return yield { jobs, nDone: 0 };
}
