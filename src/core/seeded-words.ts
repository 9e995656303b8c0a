/** Seeded random words: the same seed gives the same words on every machine. */

/** Returns sfc32 (Doty-Humphrey, PractRand) from the first 16 bytes of a digest: 32-bit words, state of 128 bits. */
export function createWordSource(digest: Uint8Array): () => number {
  const seed = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  let a = seed.getInt32(0, true);
  let b = seed.getInt32(4, true);
  let c = seed.getInt32(8, true);
  let counter = seed.getInt32(12, true);
  return () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
}
