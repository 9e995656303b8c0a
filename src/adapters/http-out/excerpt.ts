/** The begin of an answer, for people who look for a fault. */
const LENGTH_MAX = 500;
const HIDDEN = '***';
/** Shorter words of a value, such as its scheme, are no secret by themselves. */
const WORD_LENGTH_MIN = 8;

/** Hides first and cuts then, so that no part of what is hidden remains at the cut. */
export function formatExcerpt(text: string, hidden: readonly string[]): string {
  // The longest first, because one may be a part of another.
  const forms = [...new Set(hidden.flatMap(listForms))].toSorted((a, b) => b.length - a.length);
  return forms
    .reduce((open, form) => open.replaceAll(form, HIDDEN), text)
    .slice(0, LENGTH_MAX)
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .toWellFormed()
    .trim();
}

/** A value as a receiver may repeat it: whole, its credential alone, and both inside JSON or an address. */
function listForms(value: string): string[] {
  const words = value.split(/\s+/).filter((word) => word.length >= WORD_LENGTH_MIN);
  return [value, ...words].flatMap((each) => [
    each,
    JSON.stringify(each).slice(1, -1),
    encodeURIComponent(each),
  ]);
}
