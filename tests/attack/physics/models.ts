/** Rate equations of the kinds of binding that a sensor shows. Concentrations in M, rates in 1/s and 1/(M·s). */
import type { BindingModel } from './integrate.ts';

export interface Rates {
  readonly kon: number;
  readonly koff: number;
}

const read = (state: Float64Array, index: number) => state[index] ?? 0;

/** A + B ⇌ AB at a surface (Karlsson et al. 1991, J. Immunol. Methods 145, 229). */
export function createOneToOne({ kon, koff }: Rates, rmax: number, startSignal = 0): BindingModel {
  return {
    start: [startSignal],
    derive: (state, concentrationM, change) => {
      const bound = read(state, 0);
      change[0] = kon * concentrationM * (rmax - bound) - koff * bound;
    },
    readSignal: (state) => read(state, 0),
    findFastestRate: (concentrationM) => kon * concentrationM + koff,
  };
}

/**
 * Two compartments (Myszka et al. 1998, Biophys. J. 75, 583): the analyte crosses a layer, and only what is in the
 * layer binds. `transport` is the flux in response units per M and s, `layer` what the layer holds, in response units
 * per M.
 */
export function createMassTransport(
  { kon, koff }: Rates,
  rmax: number,
  transport: number,
  layer: number,
): BindingModel {
  return {
    start: [0, 0],
    derive: (state, concentrationM, change) => {
      const bound = read(state, 0);
      const near = read(state, 1);
      const binding = kon * near * (rmax - bound) - koff * bound;
      change[0] = binding;
      change[1] = (transport * (concentrationM - near) - binding) / layer;
    },
    readSignal: (state) => read(state, 0),
    findFastestRate: (concentrationM) => (transport + kon * rmax) / layer + kon * concentrationM + koff,
  };
}

/** Independent kinds of site on one surface (O'Shannessy & Winzor 1996, Anal. Biochem. 236, 275). */
export function createSites(sites: readonly (Rates & { readonly rmax: number })[]): BindingModel {
  return {
    start: sites.map(() => 0),
    derive: (state, concentrationM, change) => {
      for (const [index, { kon, koff, rmax }] of sites.entries()) {
        const bound = read(state, index);
        change[index] = kon * concentrationM * (rmax - bound) - koff * bound;
      }
    },
    readSignal: (state) => state.reduce((sum, bound) => sum + bound, 0),
    findFastestRate: (concentrationM) =>
      Math.max(...sites.map(({ kon, koff }) => kon * concentrationM + koff)),
  };
}

/** A + B ⇌ AB ⇌ AB*: the complex changes its shape (De Crescenzo et al. 2000, Biochemistry 39, 9466). */
export function createConformational(
  { kon, koff }: Rates,
  rmax: number,
  forward: number,
  backward: number,
): BindingModel {
  return {
    start: [0, 0],
    derive: (state, concentrationM, change) => {
      const [first, second] = [read(state, 0), read(state, 1)];
      const turned = forward * first - backward * second;
      change[0] = kon * concentrationM * (rmax - first - second) - koff * first - turned;
      change[1] = turned;
    },
    readSignal: (state) => read(state, 0) + read(state, 1),
    findFastestRate: (concentrationM) => kon * concentrationM + koff + forward + backward,
  };
}

/**
 * The ligand leaves the sensor with its complex at the rate `loss`; its own mass, `ligandSignal` at the start, goes with
 * it. Captured ligand (tags, protein A) behaves so.
 */
export function createBleeding(
  { kon, koff }: Rates,
  rmax: number,
  loss: number,
  ligandSignal: number,
): BindingModel {
  return {
    start: [0, 1],
    derive: (state, concentrationM, change) => {
      const [bound, ligand] = [read(state, 0), read(state, 1)];
      change[0] = kon * concentrationM * (rmax * ligand - bound) - (koff + loss) * bound;
      change[1] = -loss * ligand;
    },
    readSignal: (state) => read(state, 0) + ligandSignal * (read(state, 1) - 1),
    findFastestRate: (concentrationM) => kon * concentrationM + koff + loss,
  };
}
