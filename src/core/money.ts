/**
 * Money is an integer count of minor units in one currency. Every amount that a client sees comes from these
 * functions, so a fraction of a cent or an overflow stops the request instead of rounding silently.
 */
declare const minorUnits: unique symbol;
export type Cents = number & { readonly [minorUnits]: true };

export const CURRENCY = 'usd';

export function toCents(value: number): Cents {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number of minor units: ${value}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where a number becomes money
  return value as Cents;
}

export function sum(amounts: readonly Cents[]): Cents {
  return toCents(amounts.reduce<number>((total, amount) => total + amount, 0));
}

export function multiplyCents(amount: Cents, quantity: number): Cents {
  if (!Number.isSafeInteger(quantity)) throw new RangeError(`not a whole quantity: ${quantity}`);
  return toCents(amount * quantity);
}

/** `106000` → `$1,060.00`; for people, never for machines. */
export function formatUsd(amount: number): string {
  const sign = amount < 0 ? '-' : '';
  const digits = Math.abs(amount).toString().padStart(3, '0');
  const whole = digits.slice(0, -2).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return `${sign}$${whole}.${digits.slice(-2)}`;
}

/**
 * Returns `amount × part ÷ whole`, rounded once, half away from zero. Exact for every safe integer, because the
 * product is never a floating-point number.
 */
export function computeShare(amount: number, part: number, whole: number): Cents {
  if (whole === 0) return toCents(0);
  const product = BigInt(amount) * BigInt(part);
  const divisor = BigInt(whole);
  const isNegative = product < 0n !== divisor < 0n;
  const computeSize = (value: bigint): bigint => (value < 0n ? -value : value);
  const rounded = (2n * computeSize(product) + computeSize(divisor)) / (2n * computeSize(divisor));
  return toCents(Number(isNegative ? -rounded : rounded));
}
