/**
 * Texts of one line. Excluded are control characters, the separators of lines and paragraphs (U+2028, U+2029), which
 * break lines in some programs, the controls of writing direction, and invisible characters, all of which make a text
 * look like another one. A joiner stays where it shapes letters or joins emoji, and so does the selector of a variant.
 */
const BREAKING = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/** Invisible wherever they stand; the pattern of a schema can say no more. */
const NEVER_SHOWN =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0';
const EXCLUDED = BREAKING + NEVER_SHOWN;

/** The pattern of such a text, for schemas of what clients send. What is stored from before may not match it. */
export const ONE_LINE = `^[^${EXCLUDED}]*$`;
/** The pattern of the name of a file, which is also no path. */
export const FILE_NAME = `^[^${EXCLUDED}/\\\\]+$`;

/**
 * The pattern of a text that names what is there already, such as a sample in a raw file: it may hold characters that
 * nobody sees and has to be given as it is.
 */
export const KNOWN_LINE = `^[^${BREAKING}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]*$`;

const BREAK = new RegExp(`[${BREAKING}]`, 'u');
/** Most texts, which need no closer look. */
const PLAIN = /^[ -~\u00a0-\u00ac\u00ae-\u02ff]*$/;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Scripts whose letters and marks a joiner (U+200C, U+200D) shapes. */
const SHAPED = [
  'Arab Syrc Mand Nkoo Mong Phag',
  'Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh',
  'Khmr Mymr Tibt Java Bali',
]
  .flatMap((scripts) => scripts.split(' '))
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');

/** Where an invisible character changes what readers see. */
const NEEDED = new RegExp(
  [
    `(?<=[${SHAPED}])[\\u200c\\u200d](?=[${SHAPED}])`,
    // Heh in its initial form abbreviates the Hijri year.
    '(?<=\\u0647)\\u200d',
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
    '(?<=[\\p{Extended_Pictographic}\\p{Sm}\\p{Script=Han}\\p{Script=Mymr}])[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    '(?<=\\p{Script=Mong})[\\u180b-\\u180d\\u180f]',
  ].join('|'),
  'uy',
);

/** What a check says about a text of several lines, or with an invisible character; undefined where it has one line. */
export function findLineProblem(text: string): string | undefined {
  if (PLAIN.test(text)) return undefined;
  if (BREAK.test(text)) return 'must be one line, without control characters';
  return findInvisibleProblem(text);
}

export function isOneLine(text: string): boolean {
  return findLineProblem(text) === undefined;
}

/** Names the first character that nobody sees, with its place among the characters of the text, from 1. */
export function findInvisibleProblem(text: string): string | undefined {
  for (const { 0: character, index } of text.matchAll(INVISIBLE)) {
    if (isNeeded(text, index)) continue;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const position = Array.from(text.slice(0, index)).length + 1;
    return `contains the invisible character U+${code} at position ${position}; remove it`;
  }
  return undefined;
}

function isNeeded(text: string, index: number): boolean {
  NEEDED.lastIndex = index;
  return NEEDED.test(text);
}

const SPACES = new RegExp(`(?:[${BREAKING}]|\\s)+`, 'gu');

/** Makes one line of a text: breaks and control characters become a space, and invisible characters are left out. */
export function removeControls(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed
    .replaceAll(INVISIBLE, (character, index: number) => (isNeeded(wellFormed, index) ? character : ''))
    .replaceAll(SPACES, ' ')
    .trim();
}
