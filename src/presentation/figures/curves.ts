/** The points behind a result, by what they are. */
import type { Curve } from '#domain/results/curves.ts';

/** Those of one kind. */
export function curvesOf<Kind extends Curve['kind']>(
  curves: readonly Curve[],
  kind: Kind,
): Extract<Curve, { kind: Kind }>[] {
  return curves.filter((curve): curve is Extract<Curve, { kind: Kind }> => curve.kind === kind);
}
