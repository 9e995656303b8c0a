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
/** What is expected may name an entry of an archive, whose name may have 65,535 characters. */
const EXPECTED_CHARACTERS_MAX = 600;
const NAME_CHARACTERS_MAX = 300;

/** An uploaded file violates its format. Nothing of the upload is used. */
export class FormatError extends Error {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly expected: string;
  readonly found: string;

  constructor(problem: FormatProblem) {
    const found = shorten(problem.found, FOUND_CHARACTERS_MAX);
    const file = shorten(problem.file, NAME_CHARACTERS_MAX);
    const expected = shorten(problem.expected, EXPECTED_CHARACTERS_MAX);
    super(`${file}${formatPlace(problem)}: expected ${expected}, found ${found}`);
    this.name = 'FormatError';
    this.file = file;
    this.line = problem.line;
    this.column = problem.column;
    this.expected = expected;
    this.found = found;
  }
}

function shorten(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax).toWellFormed()}…` : text;
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
