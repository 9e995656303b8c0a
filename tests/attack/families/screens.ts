/**
 * Plates of a screening: designs are loaded, the antigen is in solution at one or two concentrations. One binder and one
 * non-binder of each plate are judged, drawn at random, because sequences of one plate share its faults.
 */
import { toEngineSettings } from '#features/runs/raw-files/settings-names.ts';
import { findKd } from '../instrument/design.ts';
import { addOverTime, findDurationS } from '../instrument/faults.ts';
import { addNoise, listTimes, planExposures, type Curve, type Step } from '../instrument/record.ts';
import { integrateSignal } from '../physics/integrate.ts';
import { createOneToOne, type Rates } from '../physics/models.ts';
import type { Random } from '../physics/random.ts';
import { writeTraces } from '../writers/files.ts';
import type { AttackCase, Family, Truth } from './family.ts';

interface Well {
  readonly role: Curve['role'];
  readonly sample: string;
  /** Null where nothing binds. */
  readonly rates: Rates | null;
  readonly rmax: number;
  /** Weak contacts of any protein, in nm at the highest dose. */
  readonly sticking: number;
}

interface Fault {
  /** Part of the antigen that can bind. */
  readonly active?: number;
  /** Response of the negative controls without specific binding, in nm. */
  readonly negativesNm?: (random: Random) => number;
  /** Drift of edge wells over the run, in nm. */
  readonly edgeDriftNm?: number;
}

const BINDERS = 6;
const NON_BINDERS = 6;
const CONTROL = 'control-positive';
const ROWS = 'ABCDEFGH';
const STICKING_S = 30;

/** Binders whose response at the highest dose is at least 40 pm, eight times the largest noise. */
function drawBinder(random: Random, doseM: number): Rates {
  const kdM = doseM * random.drawLog(0.005, 0.7);
  const koff = random.drawLog(2e-4, 2e-2);
  return { kon: Math.max(koff / kdM, 5e-3 / doseM), koff: Math.max(koff, (5e-3 / doseM) * kdM) };
}

function planPlate(random: Random, topM: number, fault: Fault): Well[] {
  const drawSticking = () => Math.abs(0.003 * random.drawNormal());
  const level = random.draw(0.3, 1);
  const drawRmax = () => level * (1 + 0.15 * random.draw(-1, 1));
  const wells: Well[] = [];
  for (let index = 0; index < BINDERS + NON_BINDERS; index += 1) {
    const rates = index < BINDERS ? drawBinder(random, topM) : null;
    wells.push({
      role: 'sample',
      sample: `design-${index + 1}`,
      rates,
      rmax: drawRmax(),
      sticking: drawSticking(),
    });
  }
  for (let index = random.drawInteger(4, 8); index > 0; index -= 1) {
    const sticking = fault.negativesNm?.(random) ?? drawSticking();
    wells.push({ role: 'negative_control', sample: 'control-negative', rates: null, rmax: 0, sticking });
  }
  const control = { kon: 1e-2 / (0.05 * topM), koff: 1e-2 };
  const positive: Well = {
    role: 'positive_control',
    sample: CONTROL,
    rates: control,
    rmax: drawRmax(),
    sticking: drawSticking(),
  };
  const empty: Well = { role: 'reference', sample: '', rates: null, rmax: 0, sticking: drawSticking() };
  const all = [...wells, positive, positive, empty, empty];
  return all
    .map((well) => ({ well, order: random.draw(0, 1) }))
    .sort((a, b) => a.order - b.order)
    .map(({ well }) => well);
}

function recordPlate(random: Random, dosesM: readonly number[], fault: Fault) {
  const topM = dosesM.at(-1) ?? 0;
  const wells = planPlate(random, topM, fault);
  const noise = random.drawLog(0.001, 0.005);
  const [associationS, dissociationS] = [random.pick([60, 120, 180]), random.pick([60, 120, 180])];
  const replicates = new Map<string, number>();
  const curves: Curve[] = [];
  for (const doseM of dosesM)
    for (const [place, well] of wells.entries()) {
      const steps: Step[] = [
        { name: 'baseline', startS: 0, endS: 30, concentrationM: 0 },
        { name: 'association', startS: 30, endS: 30 + associationS, concentrationM: doseM },
        {
          name: 'dissociation',
          startS: 30 + associationS,
          endS: 30 + associationS + dissociationS,
          concentrationM: 0,
        },
      ];
      const timesS = listTimes(steps, 1);
      const exposures = planExposures(steps, [doseM * (fault.active ?? 1)], {});
      const signal =
        well.rates === null
          ? new Float64Array(timesS.length)
          : integrateSignal(createOneToOne(well.rates, well.rmax), exposures, timesS);
      // Sticking is 1:1 binding of its own, so weak that it follows the dose.
      const weak = createOneToOne(
        { kon: 1 / (STICKING_S * topM * 20), koff: 1 / STICKING_S },
        well.sticking * 21,
      );
      const stuck = integrateSignal(weak, planExposures(steps, [doseM], {}), timesS);
      for (const [index, value] of stuck.entries()) signal[index] = (signal[index] ?? 0) + value;
      const isEdge = place % 8 === 0 || place % 8 === 7 || place < 8;
      const [row, column] = [ROWS[place % 8] ?? 'A', Math.floor(place / 8) + 1];
      const name = `${well.sample}@${doseM}`;
      const replicate = (replicates.get(name) ?? 0) + 1;
      replicates.set(name, replicate);
      const curve: Curve = {
        trace: `T${curves.length + 1}`,
        well: `${row}${String(column).padStart(2, '0')}`,
        role: well.role,
        sample: well.sample,
        dose: 0,
        statedM: [doseM],
        replicate,
        steps,
        timesS,
        signal,
      };
      const drift = isEdge ? (fault.edgeDriftNm ?? 0) * random.draw(0.5, 1) : 0;
      addOverTime(curve, (elapsedS) => (drift * elapsedS) / findDurationS(curve));
      addNoise(curve.signal, noise, 0.6, random);
      curves.push(curve);
    }
  return { curves, noise, wells };
}

const SEQUENCE_START = 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ';
const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';

function drawPlate(random: Random, fault: Fault): AttackCase {
  const topM = random.drawLog(5e-8, 2e-6);
  const dosesM = random.hasLuck(0.5) ? [topM] : [topM / 10, topM];
  const { curves, noise, wells } = recordPlate(random, dosesM, fault);
  const binder = `design-${random.drawInteger(1, BINDERS)}`;
  const rates = wells.find(({ sample }) => sample === binder)?.rates;
  if (!rates) throw new Error(`${binder} has no rates.`);
  const samples = Array.from({ length: BINDERS + NON_BINDERS }, (_, index) => `design-${index + 1}`);
  const judged: Record<string, Truth> = {
    [binder]: { kind: 'binder', kdM: findKd(rates), isFirm: false, isDetectable: true },
    [`design-${random.drawInteger(BINDERS + 1, BINDERS + NON_BINDERS)}`]: { kind: 'non_binder' },
  };
  const written = writeTraces({ technique: 'bli', curves });
  return {
    run: {
      experimentType: 'screening',
      method: 'bli',
      files: written.files,
      sequences: Object.fromEntries(
        samples.map((name, index) => [name, `${SEQUENCE_START}${LETTERS[index] ?? 'A'}`]),
      ),
      orderedNm: dosesM.map((dose) => Number((dose * 1e9).toPrecision(6))),
      settings: toEngineSettings({ control_kd_m: { [CONTROL]: 0.05 * topM } }),
    },
    truths: judged,
    story: { dosesM, noise, active: fault.active ?? 1, edgeDriftNm: fault.edgeDriftNm ?? 0 },
  };
}

function defineScreen(name: string, drawFault: (random: Random) => Fault): Family {
  return {
    name,
    assay: 'screening',
    demand: 'hostile',
    draw: (random) => drawPlate(random, drawFault(random)),
  };
}

export const screenFamilies: readonly Family[] = [
  defineScreen('screening_plain', () => ({})),
  // Wells at the edge lose water and warm up more slowly.
  defineScreen('screening_edge_drift', (random) => ({
    edgeDriftNm: random.drawLog(0.01, 0.2) * random.drawSign(),
  })),
  // The protein that should not bind sticks to the antigen.
  defineScreen('screening_high_negatives', (random) => {
    const level = random.draw(0.05, 0.5);
    return { negativesNm: (own) => level * own.draw(0.6, 1.4) };
  }),
  // The antigen is degraded: the positive control misses its known KD more than tenfold.
  defineScreen('screening_control_missed', (random) => ({ active: random.drawLog(0.001, 0.05) })),
];
