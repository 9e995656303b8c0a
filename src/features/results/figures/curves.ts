/** The curves of a result, by kind. */
import type { Curve } from '../curves.ts';

/** Returns the curves of one kind. */
export function selectCurves<Kind extends Curve['kind']>(
  curves: readonly Curve[],
  kind: Kind,
): Extract<Curve, { kind: Kind }>[] {
  return curves.filter((curve): curve is Extract<Curve, { kind: Kind }> => curve.kind === kind);
}
