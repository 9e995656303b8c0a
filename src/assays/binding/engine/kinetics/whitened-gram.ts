/** The products of columns under correlated noise, for its likelihood. */

/** Room for the innovations of a curve of so many columns, which every noise model fills anew. */
interface Room {
  state: Float64Array;
  surprise: Float64Array;
  gram: Float64Array;
}

const rooms: (Room | undefined)[] = [];

/** Returns zeros for so many columns, which hold until the next call for as many. */
function clearRoom(count: number): Room {
  const room = (rooms[count] ??= {
    state: new Float64Array(count),
    surprise: new Float64Array(count),
    gram: new Float64Array(count * count),
  });
  room.state.fill(0);
  room.gram.fill(0);
  return room;
}

/**
 * Returns the products of the columns as innovations of the Kalman filter for noise of unit variance, of which the
 * fraction `share` decays by `decay[i]` from one block to the next and the rest is white, and the logarithm of their
 * scale. Runs for every noise model and curve, so it allocates no arrays; the products hold until the next call.
 */
export function computeWhitenedGram(
  columns: readonly Float64Array[],
  share: number,
  decay: Float64Array,
): { gram: Float64Array; count: number; lnVariance: number } {
  const count = columns.length;
  const { state, surprise, gram } = clearRoom(count);
  let variance = share;
  let lnVariance = 0;
  for (let i = 0; i < decay.length; i += 1) {
    const phi = decay[i];
    variance = phi * phi * variance + (1 - phi * phi) * share;
    const total = variance + 1 - share;
    const gain = variance / total;
    const scale = 1 / Math.sqrt(total);
    lnVariance += Math.log(total);
    variance *= 1 - gain;
    for (let c = 0; c < count; c += 1) {
      const predicted = phi * state[c];
      const left = columns[c][i] - predicted;
      state[c] = predicted + gain * left;
      surprise[c] = left * scale;
      for (let d = 0; d <= c; d += 1) gram[c * count + d] += surprise[c] * surprise[d];
    }
  }
  for (let c = 0; c < count; c += 1) {
    for (let d = c + 1; d < count; d += 1) gram[c * count + d] = gram[d * count + c];
  }
  return { gram, count, lnVariance };
}
