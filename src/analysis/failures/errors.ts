/**
 * Failures of the analysis that a person can fix. They carry plain fields, so that they can be sent between threads.
 * This folder: failures of files, settings and analyses that a person can act on. Not here: failures of a request
 * (`core/failures.ts`).
 */

export interface FormatProblem {
  /** Name of the uploaded file, as given by the uploader. */
  file: string;
  /** 1-based line, or null when the problem concerns the file as a whole. */
  line: number | null;
  /** 1-based character column, or null. */
  column: number | null;
  expected: string;
  found: string;
}

const FOUND_CHARACTERS_MAX = 60;

/** An uploaded file violates its format. Nothing of the upload is used. */
export class FormatError extends Error {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly expected: string;
  readonly found: string;

  constructor(problem: FormatProblem) {
    const found =
      problem.found.length > FOUND_CHARACTERS_MAX
        ? `${problem.found.slice(0, FOUND_CHARACTERS_MAX)}…`
        : problem.found;
    super(`${problem.file}${formatPlace(problem)}: expected ${problem.expected}, found ${found}`);
    this.name = 'FormatError';
    this.file = problem.file;
    this.line = problem.line;
    this.column = problem.column;
    this.expected = problem.expected;
    this.found = found;
  }
}

function formatPlace(problem: FormatProblem): string {
  if (problem.line === null) return '';
  return problem.column === null
    ? `, line ${problem.line}`
    : `, line ${problem.line}, column ${problem.column}`;
}

export type AnalysisErrorCode =
  | 'settings_invalid'
  | 'association_length_needed'
  | 'steps_missing'
  | 'steps_unsupported'
  | 'reference_too_short'
  | 'not_enough_data'
  | 'values_implausible'
  | 'nothing_to_analyze'
  | 'unsupported_experiment_type';

/** The files were read, but they do not allow the requested analysis. */
export class AnalysisError extends Error {
  readonly code: AnalysisErrorCode;

  constructor(code: AnalysisErrorCode, message: string) {
    super(message);
    this.name = 'AnalysisError';
    this.code = code;
  }
}
