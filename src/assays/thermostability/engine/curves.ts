/** The points of a melting curve with its markers, in the form of the API. */
import type { AssayCurve } from '#analysis/curves/packed-curves.ts';
import type { ReplicateMelting } from './types.ts';

export function buildMeltCurve(replicate: ReplicateMelting): AssayCurve | null {
  const { curve } = replicate;
  if (curve === null) return null;
  const { scattering } = curve;
  return {
    kind: 'melt',
    replicate: replicate.replicate,
    plate: replicate.plate,
    well: replicate.well,
    channel: curve.channel,
    temperature_c: curve.temperatureC,
    signal: curve.signal,
    fit: curve.fit,
    residual: curve.residual,
    derivative_per_c: curve.derivative,
    scattering_temperature_c: scattering?.temperatureC ?? null,
    scattering: scattering?.signal ?? null,
    tm_c: replicate.tmAll.map(({ tmC }) => Math.round(tmC * 1e4) / 1e4),
    tonset_c: replicate.tonset?.value ?? null,
    tagg_c: replicate.tagg?.value ?? null,
  };
}
