/**
 * The canonical form of JSON (RFC 8785) for texts, lists and objects, the only values that we sign or compare:
 * members sorted by UTF-16 code units, no space, strings as ECMAScript writes them.
 */
export type CanonicalValue = string | readonly CanonicalValue[] | { readonly [name: string]: CanonicalValue };

/** Whether a foreign value has a canonical form. */
export function isCanonicalValue(value: unknown): value is CanonicalValue {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isCanonicalValue(member));
}

export function formatCanonicalJson(value: CanonicalValue): string {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new RangeError('half of a surrogate pair has no canonical form');
    return JSON.stringify(value);
  }
  if (isList(value)) return `[${value.map(formatCanonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, member]) => `${formatCanonicalJson(name)}:${formatCanonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

function isList(value: CanonicalValue): value is readonly CanonicalValue[] {
  return Array.isArray(value);
}
