/**
 * Money is an integer count of minor units in one currency. Every amount a client can see comes from these
 * functions, so a fraction of a cent or an overflow stops the request instead of rounding silently.
 */
declare const minorUnits: unique symbol;
export type Cents = number & { readonly [minorUnits]: true };

export const CURRENCY = 'usd';

export function cents(value: number): Cents {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number of minor units: ${value}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where a number becomes money
  return value as Cents;
}

export function sum(amounts: readonly Cents[]): Cents {
  return cents(amounts.reduce<number>((total, amount) => total + amount, 0));
}

export function times(amount: Cents, quantity: number): Cents {
  if (!Number.isSafeInteger(quantity)) throw new RangeError(`not a whole quantity: ${quantity}`);
  return cents(amount * quantity);
}

/** `106000` → `$1,060.00`; for people, never for machines. */
export function formatUsd(amount: number): string {
  const sign = amount < 0 ? '-' : '';
  const digits = Math.abs(amount).toString().padStart(3, '0');
  const whole = digits.slice(0, -2).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return `${sign}$${whole}.${digits.slice(-2)}`;
}
