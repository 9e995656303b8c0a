/** What passes between the pool and its workers. Errors cross as plain data and become errors of the same class again. */
import type { AnalysisJob, AnalysisPart, AnalysisResult } from '../assays/binding/analyze.ts';
import type { AssayJob, AssayResult } from '../assays/pack-result.ts';
import { AnalysisError, FormatError } from '../failures/errors.ts';
import type { AnalysisErrorCode } from '../failures/errors.ts';
import type { FileContents, FileToInspect } from '../formats/inspect.ts';
import type { MeltJob, MeltPart, SurveyedMelts, SurveyJob } from '../assays/thermostability/melt-part.ts';

export type WorkerRequest =
  | {
      job: AnalysisJob;
      /** Null asks for a whole analysis, a number for one batch whose first file it is. */
      firstPlate: number | null;
    }
  | { assay: AssayJob }
  | { melts: MeltJob }
  | { survey: SurveyJob }
  | { inspect: FileToInspect };

export type WorkerResult =
  AnalysisResult | AnalysisPart | AssayResult | MeltPart | SurveyedMelts | FileContents;

export type ErrorMessage =
  | {
      kind: 'format';
      file: string;
      line: number | null;
      column: number | null;
      expected: string;
      found: string;
    }
  | { kind: 'analysis'; code: AnalysisErrorCode; message: string }
  | { kind: 'other'; message: string; stack: string };

/** What a worker says of its job before it answers. */
export interface WorkerProgress {
  done: number;
  total: number;
}

export type WorkerAnswer = { ok: true; result: WorkerResult } | { ok: false; error: ErrorMessage };

export function toMessage(error: unknown): ErrorMessage {
  if (error instanceof FormatError) {
    const { file, line, column, expected, found } = error;
    return { kind: 'format', file, line, column, expected, found };
  }
  if (error instanceof AnalysisError) return { kind: 'analysis', code: error.code, message: error.message };
  const known = error instanceof Error ? error : new Error(String(error));
  return { kind: 'other', message: known.message, stack: known.stack ?? '' };
}

export function fromMessage(message: ErrorMessage): Error {
  if (message.kind === 'format') return new FormatError(message);
  if (message.kind === 'analysis') return new AnalysisError(message.code, message.message);
  const error = new Error(message.message);
  error.stack = message.stack;
  return error;
}
