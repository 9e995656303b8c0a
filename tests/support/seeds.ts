/** Which seeds a random test runs: as many as it says, from `ASSAYER_SEED` on, so that a night can be cut into slices. */
export function listSeeds(count: number): number[] {
  const first = Number(process.env.ASSAYER_SEED ?? '1');
  return Array.from({ length: count }, (_, index) => first + index);
}
