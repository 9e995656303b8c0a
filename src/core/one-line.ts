/**
 * Texts of one line. Excluded are control characters, the separators of lines and paragraphs (U+2028, U+2029), which
 * break lines in some programs, and the controls of writing direction, which make a text look like another one.
 */
const EXCLUDED =
  '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';

/** The pattern of such a text, for schemas of what clients send. What is stored from before may not match it. */
export const ONE_LINE = `^[^${EXCLUDED}]*$`;
/** The pattern of the name of a file, which is also no path. */
export const FILE_NAME = `^[^${EXCLUDED}/\\\\]+$`;
/** What a check that is no schema says about a text of several lines. */
export const NOT_ONE_LINE = 'must be one line, without control characters';

const PATTERN = new RegExp(ONE_LINE, 'u');

export function isOneLine(text: string): boolean {
  return PATTERN.test(text);
}

const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const EXCLUDED_RUN = new RegExp(`(?:[${EXCLUDED}]|\\s)+`, 'gu');

/** Makes one line of a text: breaks and control characters become a space, and controls of direction are left out. */
export function removeControls(text: string): string {
  return text.toWellFormed().replaceAll(DIRECTION, '').replaceAll(EXCLUDED_RUN, ' ').trim();
}
