/** Puts work off until its result is first needed. */

/** Calls `make` once, at the first call. */
export function remember<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
