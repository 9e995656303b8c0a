/**
 * Seeded random numbers: the same parts give the same stream on every machine.
 *
 * The seed is SHA-256 over the model version and the parts, so a change of version changes all random numbers; nothing here reads a clock or the system's random source.
 */
import { createHash } from 'node:crypto';
import { createWordSource } from '#core/seeded-words.ts';

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
  const word = createWordSource(digest);
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
