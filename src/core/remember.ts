/** Puts work off until its result is first needed. */

/** Calls `make` once, at the first call. */
export function remember<T>(make: () => T): () => T {
  let memo: { readonly value: T } | undefined;
  return () => (memo ??= { value: make() }).value;
}
