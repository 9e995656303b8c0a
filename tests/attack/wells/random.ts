/** Seeded random numbers: the same family and seed give the same run on every machine. */
export interface Random {
  uniform(low: number, high: number): number;
  /** Uniform in the logarithm. */
  logUniform(low: number, high: number): number;
  /** Standard normal. */
  normal(): number;
  /** Both ends included. */
  integer(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

export function createRandom(name: string): Random {
  const next = createUniform(name);
  const uniform = (low: number, high: number) => low + (high - low) * next();
  const integer = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    uniform,
    integer,
    logUniform: (low, high) => Math.exp(uniform(Math.log(low), Math.log(high))),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
  };
}

const WARM_UP = 16;

/** The generator sfc32, seeded by four FNV-1a hashes of the name; uniform in [0, 1). */
function createUniform(name: string): () => number {
  let [a = 0, b = 0, c = 0, counter = 0] = [1, 2, 3, 4].map((salt) => hash(`${salt}:${name}`));
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < WARM_UP; i += 1) next();
  return next;
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value;
}

/** Noise with a standard deviation of one; neighbors correlate by `correlation`. */
export function createNoise(random: Random, correlation: number): () => number {
  const fresh = Math.sqrt(1 - correlation ** 2);
  let last = random.normal();
  return () => {
    last = correlation * last + fresh * random.normal();
    return last;
  };
}
