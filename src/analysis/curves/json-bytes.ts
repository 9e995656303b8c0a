/** Writes JSON as bytes, number by number: the intermediate string would be most of the work for curves. */

const ROOM_FIRST = 262_144;
/** Bytes that any number as JSON needs, with a comma. */
const NUMBER_ROOM = 32;
const ZERO = 48;
const POINT = 46;
const MINUS = 45;
const COMMA = 44;
/** Numbers are written with six decimals. */
const UNIT = 1e6;
/**
 * A decimal of up to 15 digits is the shortest representation of its number, as `JSON.stringify` writes it; these
 * have nine digits before the point and six after.
 */
const WHOLE_MAX = 1e9;

/** The characters of 000 to 999. */
const TRIPLES = Uint8Array.from({ length: 3_000 }, (_, i) => {
  return ZERO + (Math.floor(i / 3 / 10 ** (2 - (i % 3))) % 10);
});

export class JsonBytes {
  private bytes = Buffer.allocUnsafe(ROOM_FIRST);
  private length = 0;

  /** Appends JSON text unchanged. */
  addRaw(json: string): this {
    this.reserve(3 * json.length);
    this.length += this.bytes.write(json, this.length);
    return this;
  }

  /** Appends an array, written as `JSON.stringify` would write the numbers rounded to six decimals. */
  addArray(values: ArrayLike<number>): this {
    this.addRaw('[');
    this.reserve(NUMBER_ROOM * values.length);
    const { bytes } = this;
    let at = this.length;
    for (let i = 0; i < values.length; i += 1) {
      if (i > 0) {
        bytes[at] = COMMA;
        at += 1;
      }
      const units = Math.round(values[i] * UNIT);
      if (Math.abs(units) < WHOLE_MAX * UNIT) at = writeUnits(bytes, at, units);
      else at += bytes.write(JSON.stringify(units / UNIT), at);
    }
    this.length = at;
    return this.addRaw(']');
  }

  /** The bytes so far, without a copy. */
  getBytes(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  private reserve(room: number): void {
    if (this.length + room <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.length + room));
    larger.set(this.getBytes());
    this.bytes = larger;
  }
}

/** Writes a whole number of millionths as a decimal without trailing zeros; returns the index after it. */
function writeUnits(bytes: Uint8Array, from: number, units: number): number {
  let at = from;
  if (units < 0) {
    bytes[at] = MINUS;
    at += 1;
  }
  const whole = Math.floor(Math.abs(units) / UNIT);
  // Whole numbers that fit into 32 bits are divided faster.
  const decimals = (Math.abs(units) - whole * UNIT) | 0;
  at = writeWhole(bytes, at, whole);
  if (decimals === 0) return at;
  bytes[at] = POINT;
  const thousandths = (decimals / 1_000) | 0;
  at = writeTriple(bytes, at + 1, thousandths);
  at = writeTriple(bytes, at, decimals - 1_000 * thousandths);
  while (bytes[at - 1] === ZERO) at -= 1;
  return at;
}

function writeWhole(bytes: Uint8Array, from: number, whole: number): number {
  let at = from;
  if (whole >= 1_000) {
    const thousands = Math.floor(whole / 1_000);
    at = writeWhole(bytes, at, thousands);
    return writeTriple(bytes, at, whole - 1_000 * thousands);
  }
  if (whole >= 100) return writeTriple(bytes, at, whole);
  if (whole >= 10) {
    bytes[at] = TRIPLES[3 * whole + 1];
    at += 1;
  }
  bytes[at] = TRIPLES[3 * whole + 2];
  return at + 1;
}

/** Writes the three digits of a number below 1,000. */
function writeTriple(bytes: Uint8Array, from: number, value: number): number {
  bytes[from] = TRIPLES[3 * value];
  bytes[from + 1] = TRIPLES[3 * value + 1];
  bytes[from + 2] = TRIPLES[3 * value + 2];
  return from + 3;
}
