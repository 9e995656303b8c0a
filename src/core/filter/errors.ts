import { findNearest } from '../nearest.ts';

/** Everything that can be wrong with a list query. The caller can fix each of them: a 400. */
export type FilterErrorCode =
  | 'filter_syntax'
  | 'filter_unknown_field'
  | 'filter_type'
  | 'filter_too_long'
  | 'filter_too_deep'
  | 'sort_syntax'
  | 'sort_unknown_field'
  | 'too_many_sort_columns'
  | 'search_invalid'
  | 'limit_out_of_range'
  | 'offset_out_of_range'
  | 'cursor_invalid'
  | 'unknown_parameter';

export interface FilterErrorDetail {
  readonly code: FilterErrorCode;
  /** A public sentence: where, what was found, what is allowed. */
  readonly message: string;
  /** The query parameter that has to change. */
  readonly path: string;
  /** 1-based character within that parameter; 0 or absent when the whole parameter is wrong. */
  readonly position?: number;
}

export class FilterError extends Error {
  override readonly name = 'FilterError';
  readonly code: FilterErrorCode;
  readonly path: string;
  readonly position: number | undefined;
  /** The message without the parameter, for where that has a place of its own. */
  readonly reason: string;

  constructor(detail: FilterErrorDetail) {
    const position = detail.position === 0 ? undefined : detail.position;
    super(`${detail.path}${position === undefined ? '' : `, character ${position}`}: ${detail.message}`);
    this.reason = position === undefined ? detail.message : `character ${position}: ${detail.message}`;
    this.code = detail.code;
    this.path = detail.path;
    this.position = position;
  }
}

const excerptLength = 40;

/** Shortens input for a quotation: short, on one line, no control characters. */
export function formatExcerpt(text: string): string {
  const short = text.length > excerptLength ? `${text.slice(0, excerptLength)}…` : text;
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what this removes
  return `"${short.toWellFormed().replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '�')}"`;
}

/** Returns ` Did you mean "status"?` or nothing. */
export function formatSuggestion(word: string, candidates: Iterable<string>): string {
  const nearest = findNearest(word, candidates);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}
