/** What holds for the plan of every request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locateWellOn } from '#core/wells.ts';
import fc from '#testing/properties.ts';
import { listLayoutRequests, requirePlan } from '#testing/run-plans.ts';
import { createSite } from './arrangement.ts';
import { spreadMembers, computeBalanceCost } from './balance.ts';
import type { Member } from './balance.ts';
import { findPlanProblems, isStartable } from './check-plan.ts';
import type { PlannedWell, PlanRequest } from './plan.ts';

const LAYOUTS = Object.keys(listLayoutRequests(1));

const drawRequest = fc
  .record({
    layout: fc.constantFrom(...LAYOUTS),
    count: fc.integer({ min: 1, max: 60 }),
    nReplicates: fc.integer({ min: 1, max: 4 }),
    seed: fc.nat({ max: 2 ** 32 - 1 }),
    size: fc.constantFrom(96 as const, 384 as const),
  })
  .map(({ layout, count, nReplicates, seed, size }): PlanRequest => {
    const request = listLayoutRequests(count)[layout];
    assert.ok(request !== undefined);
    const experiments = request.experiments.map((each) => ({ ...each, nReplicates }));
    return { ...request, experiments, seed, size };
  });

test('plan: any request → no well is used twice, every sample is placed, and the run may start', () => {
  fc.assert(
    fc.property(drawRequest, (request) => {
      const plan = requirePlan(request);
      for (const { wells } of plan.plates) {
        assert.equal(new Set(wells.map(({ well }) => well)).size, wells.length);
        assert.ok(wells.every(({ well }) => locateWellOn(request.size, well) !== null));
      }
      const placed = new Set(
        plan.plates.flatMap(({ wells }) =>
          wells.flatMap((well) => (well.role === 'sample' ? `${well.sequenceId} ${well.replicate}` : [])),
        ),
      );
      for (const { sequences, nReplicates } of request.experiments)
        assert.equal(placed.size, sequences.length * nReplicates);
      const problems = findPlanProblems(plan, request);
      assert.ok(isStartable(problems), problems.map(({ message }) => message).join('\n'));
    }),
    { numRuns: 40 },
  );
});

const PLAIN_LAYOUTS = ['fluorescence', 'melting with a dye'];

/** How far the samples of a full plate are from even over its halves, as a share of the samples. */
function computeImbalance(wells: readonly PlannedWell[], size: 96 | 384): number {
  const sites = wells.flatMap(({ well }) => {
    const place = locateWellOn(size, well);
    return place === null ? [] : createSite(size, place);
  });
  const counts = [0, 1, 2, 3].map((quadrant) => sites.filter((site) => site.quadrant === quadrant).length);
  return Math.max(...counts) - Math.min(...counts);
}

test('balance: a full plate → controls differ by at most 2 between quadrants, and replicates stand apart', () => {
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(...PLAIN_LAYOUTS), (seed, layout) => {
      const count = layout === 'fluorescence' ? 186 : 146;
      const layoutRequest = listLayoutRequests(count)[layout];
      assert.ok(layoutRequest !== undefined);
      const request: PlanRequest = { ...layoutRequest, size: 384, seed };
      const plan = requirePlan(request);
      assert.equal(plan.plates.length, 1);
      const wells = plan.plates[0]?.wells ?? [];
      for (const role of ['blank', 'positive_control', 'negative_control'])
        assert.ok(
          computeImbalance(
            wells.filter((well) => well.role === role),
            384,
          ) <= 2,
        );
      assert.deepEqual(findPlanProblems(plan, request), []);
    }),
    { numRuns: 8 },
  );
});

test('balance: swaps of any members → keep all of them and do not raise the cost above the given order', () => {
  const drawMembers = fc.array(
    fc.record({
      identity: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      stratum: fc.constantFrom('x', 'y'),
      size: fc.constant(1),
    }),
    { minLength: 12, maxLength: 96 },
  );
  fc.assert(
    fc.property(drawMembers, fc.nat(), (members: Member[], seed) => {
      const grouped = members.toSorted((one, other) => one.identity.localeCompare(other.identity));
      const sites = grouped.map((_, index) =>
        createSite(96, { row: index % 8, column: Math.floor(index / 8) }),
      );
      let state = seed;
      const drawWord = () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return state >>> 8;
      };
      const balanced = spreadMembers(grouped, sites, drawWord);
      assert.equal(new Set(balanced).size, grouped.length);
      assert.ok(computeBalanceCost(balanced, sites) <= computeBalanceCost(grouped, sites));
    }),
    { numRuns: 25 },
  );
});
