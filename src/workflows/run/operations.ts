/**
 * The operations of the step "run", each with what carries it out.
 * This folder: the start of a run in the lab. Not here: its plan and its files (`features/runs`).
 */
import { bindWrite, type Binding } from '#features/binding.ts';
import * as runsRawFilesRunContract from '#features/runs/raw-files/run-contract.ts';
import { startRun } from './start-run.ts';

export const runOperations: readonly Binding[] = [bindWrite(runsRawFilesRunContract.startRun, startRun)];
