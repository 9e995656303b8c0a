/**
 * The operations of the step "release", each with what carries it out.
 * This folder: what makes reviewed results the client's. Not here: the review (`features/review`).
 */
import { bindWrite, type Binding } from '#features/binding.ts';
import * as runsRawFilesRunContract from '#features/runs/raw-files/run-contract.ts';
import { releaseResults } from './release-results.ts';

export const releaseOperations: readonly Binding[] = [
  bindWrite(runsRawFilesRunContract.releaseResults, releaseResults),
];
