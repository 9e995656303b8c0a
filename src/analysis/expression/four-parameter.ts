/**
 * Four-parameter logistic standard curve, y = d + (a − d)/(1 + (x/c)^b), by weighted least squares (Levenberg–Marquardt with the
 * analytic Jacobian). Fitted are a, d, ln c and ln b: c and b are positive by construction.
 */

export interface StandardPoint {
  /** Concentration, ≥ 0, in any unit; 0 is the zero calibrator. */
  x: number;
  response: number;
  /** Standard deviation of the response, for the weight 1/sd²; only its ratios matter. */
  sd: number;
}

export interface FourParameterFit {
  /** Response without analyte. */
  a: number;
  /** Hill slope. */
  b: number;
  /** Concentration halfway between `a` and `d`. */
  c: number;
  /** Response at infinite concentration. */
  d: number;
  /** Covariance of (a, d, ln c, ln b), scaled by the residual variance. */
  covariance: number[][];
  /** Residual standard deviation in units of the points' `sd`. */
  scale: number;
  r2: number;
  points: number;
  converged: boolean;
}

type Parameters = [a: number, d: number, lnC: number, lnB: number];

const PARAMETERS = 4;
const ITERATIONS_MAX = 200;
const DAMPING_MAX = 1e12;
const START_SLOPES = [0.6, 1, 1.6];

/** Null below six points or three distinct positive concentrations, or when no start converges to finite values. */
export function fitFourParameter(points: readonly StandardPoint[]): FourParameterFit | null {
  const levels = new Set(points.filter(({ x }) => x > 0).map(({ x }) => x));
  if (points.length < PARAMETERS + 2 || levels.size < 3) return null;
  if (points.some(({ x, response, sd }) => !(x >= 0) || !Number.isFinite(response) || !(sd > 0))) return null;
  const refined = startsOf(points).flatMap((start) => refine(points, start) ?? []);
  if (refined.length === 0) return null;
  const best = refined.reduce((least, each) => (each.sum < least.sum ? each : least));
  return summarize(points, best);
}

/** Response of the curve at concentration `x`. */
export function responseAt({ a, b, c, d }: Pick<FourParameterFit, 'a' | 'b' | 'c' | 'd'>, x: number): number {
  return x <= 0 ? a : d + (a - d) / (1 + (x / c) ** b);
}

export interface Inverted {
  x: number;
  /** Standard error of ln x from the curve and from the response, by first-order propagation. */
  seLn: number;
}

/**
 * Concentration at a response whose standard deviation is `responseSd`; null where the curve does not reach: at or beyond one of its
 * asymptotes.
 */
export function invert(fit: FourParameterFit, response: number, responseSd: number): Inverted | null {
  const u = (fit.a - response) / (response - fit.d);
  if (!(u > 0) || !Number.isFinite(u)) return null;
  const x = fit.c * u ** (1 / fit.b);
  const gradient = gradientAt([fit.a, fit.d, Math.log(fit.c), Math.log(fit.b)], x);
  // ∂y/∂ln x = −∂y/∂ln c, since y depends on x/c alone.
  const slope = -gradient[2];
  let variance = responseSd ** 2;
  for (let i = 0; i < PARAMETERS; i += 1) {
    for (let j = 0; j < PARAMETERS; j += 1) variance += gradient[i] * fit.covariance[i][j] * gradient[j];
  }
  return { x, seLn: Math.sqrt(variance) / Math.abs(slope) };
}

function gradientAt([a, d, lnC, lnB]: Parameters, x: number): Parameters {
  if (x <= 0) return [1, 0, 0, 0];
  const b = Math.exp(lnB);
  const distance = Math.log(x) - lnC;
  const u = Math.exp(b * distance);
  const share = 1 / (1 + u);
  // u/(1 + u)² without overflow for large u.
  const bell = share * (1 - share);
  return [share, 1 - share, (a - d) * b * bell, -(a - d) * b * distance * bell];
}

function valueAt([a, d, lnC, lnB]: Parameters, x: number): number {
  if (x <= 0) return a;
  return d + (a - d) / (1 + Math.exp(Math.exp(lnB) * (Math.log(x) - lnC)));
}

/** Asymptotes from the ends of the data, the inflection at each inner level, three slopes. */
function startsOf(points: readonly StandardPoint[]): Parameters[] {
  const byX = points.toSorted((p, q) => p.x - q.x);
  const ends = Math.max(1, Math.floor(points.length / 8));
  const average = (some: readonly StandardPoint[]): number =>
    some.reduce((sum, { response }) => sum + response, 0) / some.length;
  const a = average(byX.slice(0, ends));
  const last = average(byX.slice(-ends));
  const d = a + 1.2 * (last - a);
  const levels = [...new Set(byX.filter(({ x }) => x > 0).map(({ x }) => x))];
  const inner = levels.length > 4 ? levels.filter((_, index) => index % 2 === 1) : levels;
  return inner.flatMap((x) => START_SLOPES.map((b): Parameters => [a, d, Math.log(x), Math.log(b)]));
}

interface Refined {
  parameters: Parameters;
  sum: number;
  normal: number[][];
  converged: boolean;
}

interface System {
  sum: number;
  /** JᵀWJ. */
  normal: number[][];
  /** JᵀW(y − f). */
  right: number[];
}

function systemAt(points: readonly StandardPoint[], parameters: Parameters): System {
  const normal = Array.from({ length: PARAMETERS }, () => Array.from({ length: PARAMETERS }, () => 0));
  const right = [0, 0, 0, 0];
  let sum = 0;
  for (const { x, response, sd } of points) {
    const gradient = gradientAt(parameters, x);
    const residual = (response - valueAt(parameters, x)) / sd;
    sum += residual ** 2;
    for (let i = 0; i < PARAMETERS; i += 1) {
      right[i] += (gradient[i] / sd) * residual;
      for (let j = 0; j < PARAMETERS; j += 1) normal[i][j] += (gradient[i] * gradient[j]) / sd ** 2;
    }
  }
  return { sum, normal, right };
}

function refine(points: readonly StandardPoint[], start: Parameters): Refined | null {
  let parameters = start;
  let system = systemAt(points, parameters);
  let damping = 1e-3;
  let converged = false;
  for (let iteration = 0; iteration < ITERATIONS_MAX && !converged && damping < DAMPING_MAX; iteration += 1) {
    const damped = system.normal.map((row, i) =>
      row.map((value, j) => (i === j ? value * (1 + damping) + 1e-300 : value)),
    );
    const step = solve(damped, system.right);
    if (step === null) {
      damping *= 10;
      continue;
    }
    const [da, dd, dc, db] = step;
    const bounded = (value: number): number => Math.max(-2, Math.min(2, value));
    const next: Parameters = [
      parameters[0] + da,
      parameters[1] + dd,
      parameters[2] + bounded(dc),
      parameters[3] + bounded(db),
    ];
    const trial = systemAt(points, next);
    if (!(trial.sum <= system.sum)) {
      damping *= 10;
      continue;
    }
    const gain = system.sum - trial.sum;
    converged = gain <= 1e-14 * system.sum && Math.hypot(dc, db) < 1e-9;
    parameters = next;
    system = trial;
    damping = Math.max(1e-12, damping / 10);
  }
  if (!parameters.every(Number.isFinite) || !Number.isFinite(system.sum)) return null;
  return {
    parameters,
    sum: system.sum,
    normal: system.normal,
    converged: converged || damping >= DAMPING_MAX,
  };
}

function summarize(points: readonly StandardPoint[], { parameters, sum, normal, converged }: Refined) {
  const columns = normal.map((_, j) =>
    solve(
      normal,
      normal.map((__, i) => (i === j ? 1 : 0)),
    ),
  );
  if (columns.some((column) => column === null)) return null;
  const variance = sum / (points.length - PARAMETERS);
  const covariance = normal.map((_, i) => columns.map((column) => (column?.[i] ?? Number.NaN) * variance));
  let weights = 0;
  let weighted = 0;
  for (const { response, sd } of points) {
    weights += sd ** -2;
    weighted += response / sd ** 2;
  }
  const centre = weighted / weights;
  const total = points.reduce((all, { response, sd }) => all + ((response - centre) / sd) ** 2, 0);
  const [a, d, lnC, lnB] = parameters;
  return {
    a,
    b: Math.exp(lnB),
    c: Math.exp(lnC),
    d,
    covariance,
    scale: Math.sqrt(variance),
    r2: total > 0 ? 1 - sum / total : Number.NaN,
    points: points.length,
    converged,
  };
}

/** Gauss elimination with partial pivoting after scaling by the diagonal; null when singular. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] | null {
  const n = right.length;
  const scale = matrix.map((row, i) => Math.sqrt(Math.abs(row[i])) || 1);
  const rows = matrix.map((row, i) => [
    ...row.map((value, j) => value / (scale[i] * scale[j])),
    right[i] / scale[i],
  ]);
  for (let pivot = 0; pivot < n; pivot += 1) {
    let best = pivot;
    for (let row = pivot + 1; row < n; row += 1) {
      if (Math.abs(rows[row][pivot]) > Math.abs(rows[best][pivot])) best = row;
    }
    [rows[pivot], rows[best]] = [rows[best], rows[pivot]];
    if (!(Math.abs(rows[pivot][pivot]) > 1e-13)) return null;
    for (let row = pivot + 1; row < n; row += 1) {
      const factor = rows[row][pivot] / rows[pivot][pivot];
      for (let column = pivot; column <= n; column += 1) rows[row][column] -= factor * rows[pivot][column];
    }
  }
  const solution = Array.from({ length: n }, () => 0);
  for (let row = n - 1; row >= 0; row -= 1) {
    let value = rows[row][n];
    for (let column = row + 1; column < n; column += 1) value -= rows[row][column] * solution[column];
    solution[row] = value / rows[row][row];
  }
  return solution.map((value, i) => value / scale[i]);
}
