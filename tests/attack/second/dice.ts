/** Randomness of its own: the small fast counter generator (sfc32) of C. Doty-Humphrey, seeded by a text. */
export class Dice {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    let [h1, h2, h3] = [0x9e3779b9, 0x243f6a88, 0xb7e15162];
    for (let index = 0; index < seed.length; index += 1) {
      const code = seed.charCodeAt(index);
      h1 = Math.imul(h1 ^ code, 0x85ebca6b);
      h2 = Math.imul(h2 ^ (code + index), 0xc2b2ae35);
      h3 = Math.imul(h3 ^ (code * 31 + 7), 0x27d4eb2f);
    }
    [this.#a, this.#b, this.#c] = [h1 | 0, h2 | 0, h3 | 0];
    for (let index = 0; index < 20; index += 1) this.uniform();
  }

  uniform(low = 0, high = 1): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return low + ((sum >>> 0) / 4_294_967_296) * (high - low);
  }

  logUniform(low: number, high: number): number {
    return Math.exp(this.uniform(Math.log(low), Math.log(high)));
  }

  normal(sd = 1): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return sd * radius * Math.cos(2 * Math.PI * this.uniform());
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  integer(low: number, high: number): number {
    return Math.floor(this.uniform(low, high + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.uniform() * items.length)];
    if (item === undefined) throw new Error('a choice from an empty list');
    return item;
  }

  sign(): number {
    return this.chance(0.5) ? 1 : -1;
  }
}
