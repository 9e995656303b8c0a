/** Binding that is not 1:1, although the lab orders a KD of 1:1 binding. */
import { drawDesign, findKd } from '../instrument/design.ts';
import { recordRun } from '../instrument/record.ts';
import { createConformational, createMassTransport, createSites } from '../physics/models.ts';
import { makeCase, type Family } from './family.ts';

/** Of the layer: it fills and empties in about this time when nothing binds. */
const LAYER_S = 0.2;

/**
 * Damköhler number 0.3 to 30: the surface binds up to thirty times faster than analyte arrives (Myszka et al. 1998).
 * At equilibrium nothing is transported, so KD stays.
 */
const massTransport: Family = {
  name: 'mass_transport',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random, { kon: [1e5, 1e7], koff: [1e-4, 1e-1] });
    const damkohler = random.drawLog(0.3, 30);
    const surface = design.rmax.at(-1) ?? 0;
    const transport = (design.rates.kon * surface) / damkohler;
    const recording = recordRun(random, design, {
      createSurface: (dose) =>
        createMassTransport(design.rates, design.rmax[dose] ?? 0, transport, transport * LAYER_S),
    });
    return makeCase(random, design, recording, { story: { damkohler } });
  },
};

/** A second kind of site, from random coupling or aggregates, of another affinity (Svitel et al. 2003, Biophys. J. 84, 4062). */
function defineTwoSites(name: string, fractions: readonly [number, number]): Family {
  return {
    name,
    assay: 'affinity',
    demand: 'hostile',
    draw: (random) => {
      const design = drawDesign(random);
      const { kon, koff } = design.rates;
      const fraction = random.draw(...fractions);
      const ratio = random.drawLog(3, 100) ** random.drawSign();
      // The ratio of the two KD is shared between the two rates.
      const share = random.draw(0, 1);
      const second = { kon: kon / ratio ** share, koff: koff * ratio ** (1 - share) };
      const recording = recordRun(random, design, {
        createSurface: (dose) => {
          const rmax = design.rmax[dose] ?? 0;
          return createSites([
            { kon, koff, rmax: rmax * (1 - fraction) },
            { ...second, rmax: rmax * fraction },
          ]);
        },
      });
      return makeCase(random, design, recording, { story: { fraction, second, secondKdM: findKd(second) } });
    },
  };
}

/** The complex turns into a tighter one (De Crescenzo et al. 2000). KD of the whole is that of equilibrium. */
const conformational: Family = {
  name: 'conformational',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random, { koff: [1e-3, 1e-1] });
    const backward = random.drawLog(1e-4, 1e-2);
    const forward = backward * random.drawLog(0.2, 5);
    const recording = recordRun(random, design, {
      createSurface: (dose) => createConformational(design.rates, design.rmax[dose] ?? 0, forward, backward),
    });
    const kdM = findKd(design.rates) / (1 + forward / backward);
    return makeCase(random, design, recording, { kdM, story: { forward, backward } });
  },
};

export const kineticFamilies: readonly Family[] = [
  massTransport,
  defineTwoSites('two_sites', [0.05, 0.25]),
  defineTwoSites('two_sites_heavy', [0.25, 0.5]),
  conformational,
];
