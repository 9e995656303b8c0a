/** Values that many cases share: by day each case meets some of them by turns, at night all. */
export const IS_WHOLE = process.env['ASSAYER_TURNS'] === 'all';

/** So many of the values as the case at this place meets; the next place goes on behind them. */
export function takeTurns<Value>(values: readonly Value[], place: number, count = 1): readonly Value[] {
  if (IS_WHOLE || values.length <= count) return values;
  const start = (place * count) % values.length;
  return [...values, ...values].slice(start, start + count);
}
