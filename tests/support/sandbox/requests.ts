/** Orders of sixty random designs for the simulated lab. */
import { runFiles } from '#sandbox/run-files.ts';
import type { RunRequest } from '#assays/simulated-assay.ts';
import { createRandomSource } from '#sandbox/models/random.ts';

const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';
const ids = Array.from({ length: 60 }, (_, index) => `design-${index + 1}`);

export function createSequence(name: string): string {
  const random = createRandomSource('test sequence', name);
  return Array.from({ length: 120 }, () => LETTERS[Math.floor(random.drawUniform() * 20)]).join('');
}

export function createRequest(
  experimentType: RunRequest['experimentType'],
  more: Partial<RunRequest> = {},
): RunRequest {
  return {
    experimentCode: 'TEST-001-001',
    experimentType,
    method: 'bli',
    target: { id: '', name: '' },
    sequences: ids.map((name) => ({ id: name, name, aaString: createSequence(name), isControl: false })),
    nReplicates: 3,
    ...more,
  };
}

export function createFiles(request: RunRequest) {
  return [...runFiles(request)].map(({ fileName, bytes }) => ({ name: fileName, bytes }));
}
