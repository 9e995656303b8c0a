/** Files of the simulated lab, the same for the same assay. */
import { runFiles } from '#sandbox/run-files.ts';
import type { RunRequest } from '#assays/simulated-assay.ts';
import { drawSequences } from './simulated-binding.ts';

/** What a run is forced to; undefined for one that is not. */
export const FORCES = [undefined, 'not_expressed', 'spike', 'no_loading'] as const;

export function recordRun(experimentType: RunRequest['experimentType'], force: (typeof FORCES)[number]) {
  const request: RunRequest = {
    experimentCode: 'FREEZE-1',
    experimentType,
    method: 'bli',
    target: { id: '', name: '' },
    sequences: drawSequences(experimentType, force === undefined ? 40 : 6),
    nReplicates: 3,
    options: { force },
  };
  return [...runFiles(request)].map(({ fileName, bytes }) => ({ name: fileName, bytes }));
}

export function formatSandboxCase(assay: string, force: (typeof FORCES)[number], rule: string): string {
  return `sandbox/${assay}/${force ?? 'natural'}/${rule}`;
}
