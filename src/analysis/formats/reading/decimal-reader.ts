/** Reads decimal numbers of instruments faster than `Number` does. */

/** Powers of ten that a number holds exactly. */
const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, i) => 10 ** i);
const DIGITS_MAX = 15;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/** Reads decimals in the middle of a text without making a string of each. */
export class DecimalReader {
  value = 0;
  /** Index after the last character of the number. */
  end = 0;

  /**
   * Whether a decimal of at most 15 digits begins at `from`: digits with an optional sign and point, no exponent.
   * `value` then equals what `Number` returns, because both the digits and the power of ten that divides them are
   * exact (Clinger 1990).
   */
  read(text: string, from: number): boolean {
    const isNegative = text.charCodeAt(from) === MINUS;
    let at = isNegative ? from + 1 : from;
    let digits = 0;
    let count = 0;
    let decimals = -1;
    for (; at < text.length; at += 1) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit >= 0 && digit <= 9) {
        digits = 10 * digits + digit;
        count += 1;
        if (decimals >= 0) decimals += 1;
      } else if (digit === POINT - ZERO && decimals < 0) decimals = 0;
      else break;
    }
    if (count === 0 || count > DIGITS_MAX) return false;
    const size = decimals > 0 ? digits / POWERS_OF_TEN[decimals] : digits;
    this.value = isNegative ? -size : size;
    this.end = at;
    return true;
  }
}
