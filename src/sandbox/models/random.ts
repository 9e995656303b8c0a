/**
 * Seeded random numbers: the same parts give the same stream on every machine.
 *
 * The seed is SHA-256 over the model version and the parts, so a change of version changes all random numbers; nothing here reads a clock or the system's random source.
 */
import { createHash } from 'node:crypto';

/** Part of every seed. A new value gives every sequence a new hidden truth. */
const MODEL_VERSION = 'sim-1';

export type SeedPart = string | number;

export interface RandomSource {
  /** Uniform on [0, 1). */
  drawUniform(): number;
  /** Standard normal, by the polar method of Marsaglia and Bray (1964). */
  drawNormal(): number;
}

/** Returns a separate stream for these parts. They are encoded as JSON, so ['ab', 'c'] and ['a', 'bc'] differ. */
export function createRandomSource(...parts: readonly SeedPart[]): RandomSource {
  const digest = createHash('sha256')
    .update(JSON.stringify([MODEL_VERSION, ...parts]))
    .digest();
  const word = createSmallFastCounter(
    digest.readUInt32LE(0),
    digest.readUInt32LE(4),
    digest.readUInt32LE(8),
    digest.readUInt32LE(12),
  );
  let spare: number | undefined;

  function drawUniform(): number {
    return word() / 4_294_967_296;
  }

  function drawNormal(): number {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    for (;;) {
      const u = 2 * drawUniform() - 1;
      const v = 2 * drawUniform() - 1;
      const s = u * u + v * v;
      if (s > 0 && s < 1) {
        const scale = Math.sqrt((-2 * Math.log(s)) / s);
        spare = v * scale;
        return u * scale;
      }
    }
  }

  return { drawUniform, drawNormal };
}

/** sfc32 (Doty-Humphrey, PractRand): 32-bit words, state of 128 bits. */
function createSmallFastCounter(a0: number, b0: number, c0: number, counter0: number): () => number {
  let a = a0 | 0;
  let b = b0 | 0;
  let c = c0 | 0;
  let counter = counter0 | 0;
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
