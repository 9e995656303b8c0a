/** Faults of single samples and of the detector. */
import { drawDesign } from '../instrument/design.ts';
import { addBubble, addSpike, clipSignal, findDurationS, keepSamples } from '../instrument/faults.ts';
import { addNoise, recordRun } from '../instrument/record.ts';
import { findScale } from './baselines.ts';
import { makeCase, type Family } from './family.ts';

const spikes: Family = {
  name: 'spikes',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random);
    const recording = recordRun(random, design);
    const count = random.drawInteger(1, 6);
    for (let index = 0; index < count; index += 1) {
      const height = findScale(design) * random.drawLog(0.1, 3) * random.drawSign();
      addSpike(random.pick(recording.curves), height, random);
    }
    return makeCase(random, design, recording, { story: { count } });
  },
};

const bubbles: Family = {
  name: 'bubbles',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random);
    const recording = recordRun(random, design);
    const found = Array.from({ length: random.drawInteger(1, 3) }, () => {
      const height = findScale(design) * random.drawLog(0.05, 2) * random.drawSign();
      const lengthS = random.drawLog(2, 60);
      const curve = random.pick(recording.curves);
      addBubble(curve, height, lengthS, random);
      return { trace: curve.trace, height, lengthS };
    });
    return makeCase(random, design, recording, { story: { bubbles: found } });
  },
};

/** The detector ends at 40 to 95 % of the highest response; what it reports there scatters by its digits at most. */
const ceiling: Family = {
  name: 'ceiling',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random);
    const recording = recordRun(random, design);
    const highest = Math.max(...recording.curves.map(({ signal }) => Math.max(...signal)));
    const share = random.draw(0.4, 0.95);
    for (const curve of recording.curves) clipSignal(curve, highest * share);
    const flicker = random.hasLuck(0.3);
    if (flicker) for (const curve of recording.curves) addNoise(curve.signal, design.noise * 0.05, 0, random);
    return makeCase(random, design, recording, { story: { share, flicker } });
  },
};

/** The clock wobbles, samples are missing, and some curves have a gap of seconds to a minute. */
const jitterAndGaps: Family = {
  name: 'sampling_jitter_gaps',
  assay: 'affinity',
  demand: 'hostile',
  draw: (random) => {
    const design = drawDesign(random);
    const jitter = random.draw(0.05, 0.35);
    const recording = recordRun(random, design, { jitter });
    const missing = random.draw(0.02, 0.3);
    for (const curve of recording.curves) {
      const gapS = random.hasLuck(0.4) ? random.drawLog(5, 60) : 0;
      const fromS = random.draw(10, findDurationS(curve) - gapS - 10);
      const drops = curve.timesS.map(() => random.hasLuck(missing));
      keepSamples(
        curve,
        (index, timeS) => !(drops[index] ?? false) && !(timeS > fromS && timeS < fromS + gapS),
      );
    }
    return makeCase(random, design, recording, { needsTraces: true, story: { jitter, missing } });
  },
};

export const sampleFamilies: readonly Family[] = [spikes, bubbles, ceiling, jitterAndGaps];
