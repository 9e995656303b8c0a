/** Thermal unfolding: the fraction by thermodynamics, or by the rate equation where unfolding does not return. */
const GAS_KJ = 8.314462e-3;
const KELVIN = 273.15;

export interface Domain {
  readonly tmC: number;
  readonly enthalpyKj: number;
  readonly capacityKj: number;
}

/** Fraction unfolded at equilibrium (Gibbs–Helmholtz). */
export function findUnfolded({ tmC, enthalpyKj, capacityKj }: Domain, celsius: number): number {
  const [kelvin, middle] = [celsius + KELVIN, tmC + KELVIN];
  const energy =
    enthalpyKj * (1 - kelvin / middle) + capacityKj * (kelvin - middle - kelvin * Math.log(kelvin / middle));
  return 1 / (1 + Math.exp(energy / (GAS_KJ * kelvin)));
}

export interface Melted {
  readonly unfolded: readonly number[];
  readonly aggregated: readonly number[];
}

/**
 * Unfolded protein aggregates by first order (Lumry & Eyring 1954), while native and unfolded stay in equilibrium.
 * Integrated in steps of a fiftieth of a degree.
 */
export function computeAggregatingMelt(
  domain: Domain,
  temperaturesC: readonly number[],
  rateAtTmPerS: number,
  activationKj: number,
  scanCPerMin: number,
): Melted {
  const unfolded: number[] = [];
  const aggregated: number[] = [];
  let soluble = 1;
  let previousC = temperaturesC[0] ?? 20;
  for (const celsius of temperaturesC) {
    const parts = Math.max(1, Math.ceil((celsius - previousC) / 0.02));
    for (let part = 0; part < parts; part += 1) {
      const hereC = previousC + ((part + 0.5) / parts) * (celsius - previousC);
      const seconds = ((celsius - previousC) / parts / scanCPerMin) * 60;
      const heat = (activationKj / GAS_KJ) * (1 / (domain.tmC + KELVIN) - 1 / (hereC + KELVIN));
      soluble *= Math.exp(-rateAtTmPerS * Math.exp(heat) * findUnfolded(domain, hereC) * seconds);
    }
    previousC = celsius;
    aggregated.push(1 - soluble);
    unfolded.push(1 - soluble + soluble * findUnfolded(domain, celsius));
  }
  return { unfolded, aggregated };
}

/** Temperature at which half is unfolded, between readings. */
export function findHalfC(temperaturesC: readonly number[], unfolded: readonly number[]): number {
  const at = unfolded.findIndex((fraction) => fraction >= 0.5);
  const [lowC, highC] = [temperaturesC[at - 1] ?? Number.NaN, temperaturesC[at] ?? Number.NaN];
  const [low, high] = [unfolded[at - 1] ?? 0, unfolded[at] ?? 1];
  return lowC + ((0.5 - low) / (high - low)) * (highC - lowC);
}
