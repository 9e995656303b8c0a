/** Tagged protein on a capturing sensor: rate equation with transport to the surface, integrated in time. */
export interface CaptureSensor {
  /** Capacity of the sensor in nm. */
  readonly rmaxNm: number;
  /** Association in 1/s for each ng/µL of tagged protein. */
  readonly onPerSPerNgPerUl: number;
  readonly offPerS: number;
  /** How much of the speed of an empty sensor transport takes away: 0 none, 1 half. */
  readonly transportLoad: number;
}

const STEP_S = 0.25;

/** Integrates dR/dt of capture by Runge–Kutta; the answer has the signal at every whole second from 0 on. */
export function integrateCapture(sensor: CaptureSensor, ngPerUl: number, lengthS: number): number[] {
  const { rmaxNm, onPerSPerNgPerUl, offPerS, transportLoad } = sensor;
  const computeRate = (bound: number) => {
    const free = rmaxNm - bound;
    const slowed = 1 + (transportLoad * free) / rmaxNm;
    return (onPerSPerNgPerUl * ngPerUl * free - offPerS * bound) / slowed;
  };
  const perSecond = Math.round(1 / STEP_S);
  const signal = [0];
  let bound = 0;
  for (let second = 0; second < lengthS; second += 1) {
    for (let i = 0; i < perSecond; i += 1) {
      const k1 = computeRate(bound);
      const k2 = computeRate(bound + (STEP_S / 2) * k1);
      const k3 = computeRate(bound + (STEP_S / 2) * k2);
      const k4 = computeRate(bound + STEP_S * k3);
      bound += (STEP_S / 6) * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    signal.push(bound);
  }
  return signal;
}
