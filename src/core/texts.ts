/** What is done with a text, whatever it says. */

export function isBlank(text: string | null | undefined): boolean {
  return text === null || text === undefined || text.trim() === '';
}

/** By code units, so that every machine has the same order. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes what HTML and XML read as markup, in content and in quoted attributes. */
export function escapeEntities(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Parses a number with a decimal point, as people write it; undefined for anything else, such as `0x10` or `1e999`. */
export function parseDecimal(text: string): number | undefined {
  const value = DECIMAL.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
