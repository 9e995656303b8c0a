/** Sequences and random bytes that are the same each time. */
const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';

/** Sequences that follow from their names; any will do, since the truth of the simulation follows from them. */
export function createDesigns(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      let state = (index + 1) * 7_919;
      const letters = Array.from({ length: 110 }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return LETTERS[Math.floor((state / 2 ** 32) * LETTERS.length)];
      });
      return [`design-${index + 1}`, letters.join('')];
    }),
  );
}

/** The same bytes each time (mulberry32), so that ids are, too. */
export function createRepeatableBytes(seed: number): (size: number) => Uint8Array {
  let state = seed >>> 0;
  return (size) =>
    Uint8Array.from({ length: size }, () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return (mixed ^ (mixed >>> 14)) & 0xff;
    });
}
