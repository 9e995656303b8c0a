/** Random numbers from a text: the same family and seed give the same run on every machine. */

export interface Random {
  /** Uniform in [low, high). */
  draw(low: number, high: number): number;
  /** Uniform in the logarithm between two positive numbers. */
  drawLog(low: number, high: number): number;
  /** A normal number of mean 0 and standard deviation 1. */
  drawNormal(): number;
  drawInteger(low: number, high: number): number;
  pick<T>(items: readonly T[]): T;
  /** True with this probability. */
  hasLuck(probability: number): boolean;
  drawSign(): number;
}

/** Mixes the characters of a text into 32 bits (MurmurHash3 by Austin Appleby, public domain). */
function hashText(text: string, start: number): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0xcc9e2d51);
    hash = (hash << 13) | (hash >>> 19);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The generator sfc32 of PractRand (Chris Doty-Humphrey, public domain). */
function createBits(text: string): () => number {
  let a = hashText(text, 1);
  let b = hashText(text, 2);
  let c = hashText(text, 3);
  let counter = 1;
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round += 1) next();
  return next;
}

export function createRandom(text: string): Random {
  const next = createBits(text);
  const draw = (low: number, high: number) => low + (high - low) * next();
  const drawInteger = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    draw,
    drawInteger,
    drawLog: (low, high) => low * (high / low) ** next(),
    drawNormal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    pick: <T>(items: readonly T[]): T => {
      const item = items[drawInteger(0, items.length - 1)];
      if (item === undefined) throw new Error('There is nothing to pick from.');
      return item;
    },
    hasLuck: (probability) => next() < probability,
    drawSign: () => (next() < 0.5 ? -1 : 1),
  };
}
