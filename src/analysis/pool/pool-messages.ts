/** Messages between the pool and its workers. Errors are sent as plain data and restored to the same class. */
import { AnalysisError, FormatError } from '../failures/errors.ts';
import type { AnalysisErrorCode } from '../failures/errors.ts';
import type { RawFile } from '../formats/reading/input-file.ts';
import type { CutRequest } from '../cuts/types.ts';
import type { PreviewRequest } from '../preview/types.ts';

/** A job of an assay and where its curves are kept aside, a file to be inspected for it, files to be previewed, or files to be cut. */
export type WorkerRequest =
  | { assay: string; job: unknown; aside: string | null }
  | { assay: string; file: RawFile }
  | { assay: string; preview: PreviewRequest }
  | { assay: string; cut: CutRequest };

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

/** Progress of a job, sent before its result. */
export interface WorkerProgress {
  done: number;
  total: number;
}

export type WorkerAnswer = { ok: true; result: unknown } | { ok: false; error: ErrorMessage };

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
