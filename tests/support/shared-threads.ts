/**
 * Threads that all services of this process share: a thread takes longer to load its modules than most of its work does.
 * They do not keep the process alive.
 */
import { createPdfRenderer } from '#adapters/pdf/renderer.ts';
import { AnalysisPool } from '#analysis/pool/pool.ts';
import { ANALYSIS_WORKER } from '#composition/parts.ts';
import type { Threads } from '#composition/system-sources.ts';

export const sharedThreads: Threads = {
  analyses: new AnalysisPool({ workerUrl: ANALYSIS_WORKER }),
  documents: createPdfRenderer(),
};
