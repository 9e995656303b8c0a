/** Lines of a large text file of plain ASCII, written as bytes at once, because a text for each field takes ten times as long. */

const ROOM_FIRST = 1 << 16;
/** A line is shorter. */
const LINE_MAX = 4_096;
const ZERO = 48;
const MINUS = 45;
const POINT = 46;
const POWERS_OF_TEN = [1, 10, 100, 1_000, 10_000, 100_000];
/** Up to here, a scaled value is known to much less than `NEAR_HALF`. */
const SCALED_MAX = 2 ** 31;
/** So close to a half, a product may have been rounded to the other side. */
const NEAR_HALF = 1e-6;

export class RowBytes {
  #bytes = new Uint8Array(ROOM_FIRST);
  #length = 0;

  /** The text in ASCII; its length is that of a few fields. */
  writeText(text: string): void {
    if (this.#length + LINE_MAX + text.length > this.#bytes.length) this.#grow(text.length);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < text.length; index += 1) bytes[at++] = text.charCodeAt(index);
    this.#length = at;
  }

  /** The value as `toFixed` writes it with up to five decimals, but 0 for what rounds to zero. */
  writeFixed(value: number, decimals: number): void {
    const power = POWERS_OF_TEN[decimals] ?? Number.NaN;
    const scaled = Math.abs(value) * power;
    const whole = Math.floor(scaled);
    const rest = scaled - whole;
    // Also for what is not a number.
    if (!(scaled < SCALED_MAX && Math.abs(rest - 0.5) > NEAR_HALF)) {
      this.writeText(formatFixed(value, decimals));
      return;
    }
    const rounded = rest < 0.5 ? whole : whole + 1;
    if (rounded !== 0 && value < 0) this.#bytes[this.#length++] = MINUS;
    if (rounded === 0) this.#bytes[this.#length++] = ZERO;
    else this.#writeDigits(rounded, decimals);
  }

  /** Digits of an integer from 1, the last `decimals` of them behind a point. */
  #writeDigits(integer: number, decimals: number): void {
    const bytes = this.#bytes;
    let count = decimals + 1;
    while (integer >= (POWERS_OF_TEN[count] ?? 10 ** count)) count += 1;
    const end = this.#length + count + (decimals > 0 ? 1 : 0);
    let left = integer;
    for (let at = end - 1; at >= this.#length; at -= 1) {
      if (decimals > 0 && at === end - decimals - 1) {
        bytes[at] = POINT;
        continue;
      }
      const next = Math.floor(left / 10);
      bytes[at] = ZERO + left - next * 10;
      left = next;
    }
    this.#length = end;
  }

  /** What was written; nothing may be written afterwards. */
  build(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(more: number): void {
    const room = Math.max(2 * this.#bytes.length, this.#length + LINE_MAX + more);
    const bytes = new Uint8Array(room);
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }
}

export function formatFixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? '0' : text;
}
