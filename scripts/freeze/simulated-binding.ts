/** Binding runs of known truth, seeded: the sandbox's plates, plates of noise alone, other mechanisms than 1:1, single cycles. */
import { analyzeAffinitySets } from '#assays/affinity/engine/affinity.ts';
import { analyze, analyzeAffinity } from '#testing/analysis/analyze.ts';
import {
  computeAlternativeResponse,
  type AlternativeModel,
} from '#assays/binding/engine/kinetics/alternatives.ts';
import { fitKinetics, LOCAL_RMAX } from '#assays/binding/engine/kinetics/fit.ts';
import { fitSteadyState } from '#assays/binding/engine/kinetics/steady-state.ts';
import { analyzeScreeningSets } from '#assays/screening/engine/screening.ts';
import type { BindingSettingsInput } from '#assays/binding/engine/settings.ts';
import { createEmptyCurve, createNoise, computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createNoisyPlate, type NoisyPlate } from '#testing/analysis/noisy-plate.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';
import { createSingleCycleTrace, createTraceSet } from '#testing/analysis/single-cycle.ts';
import {
  createNormals,
  createPlateControls,
  createSeries,
  synthesize,
  createUniforms,
} from '#testing/analysis/synthetic.ts';
import type { TraceSet } from '#analysis/curves/trace.ts';
import type { Sensorgram } from '#features/results/curves.ts';
import type { ResultCurves } from '#features/results/store.ts';
import type { SimulationOptions } from '#sandbox/models/options.ts';
import { simulatePlateFiles, type SimulationRequest } from '#sandbox/models/plates.ts';
import { createRandomSource } from '#sandbox/models/random.ts';
import { listBindingCases, listScreeningCases } from '#testing/hard-binding.ts';
import type { FreezeCase } from './case.ts';

export function listSimulatedBindingCases(): FreezeCase[] {
  return [
    ...listSandboxCases(),
    ...listNoisyPlateCases(),
    ...listMechanismCases(),
    ...listSingleCycleCases(),
    ...listControlledPlateCases(),
    ...listHardCases(),
    ...listBareFitCases(),
  ];
}

const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';

/** Designs of 120 random residues, the same for the same label. */
export function drawSequences(label: string, count: number): SimulationRequest['sequences'] {
  const random = createRandomSource('freeze', label);
  return Array.from({ length: count }, (_, i) => ({
    id: `s${i}`,
    name: `${label}-${i}`,
    aaString: Array.from({ length: 120 }, () => LETTERS[Math.floor(random.drawUniform() * 20)]).join(''),
    isControl: false,
  }));
}

function listSandboxCases(): FreezeCase[] {
  const orders: [string, number, SimulationOptions][] = [
    ['enriched', 30, { library: 'enriched' }],
    ['naive', 24, { library: 'naive' }],
    ['binder', 6, { force: 'binder' }],
    ['spike', 4, { force: 'spike', library: 'enriched' }],
    ['no_loading', 2, { force: 'no_loading' }],
    ['not_expressed', 2, { force: 'not_expressed' }],
  ];
  const rules: ['affinity' | 'screening', string, BindingSettingsInput][] = [
    ['affinity', 'default', {}],
    ['affinity', 'drift', { drift: true }],
    ['affinity', '1:1', { model: '1:1', bulkShift: true }],
    ['affinity', 'steady state', { model: 'steady_state' }],
    ['screening', 'default', {}],
    ['screening', 'normalized', { normalizeToLoading: true, drift: true }],
  ];
  return (['bli', 'spr'] as const).flatMap((method) =>
    orders.flatMap(([label, count, options]) =>
      rules.map(([experimentType, rule, settings]) => ({
        name: `sandbox/${experimentType}/${method}/${label}/${rule}`,
        run: () => {
          const sequences = drawSequences(label, count);
          const target = { id: 'target-1', name: 'EGFR' };
          const common = { experimentCode: 'FREEZE-1', nReplicates: 2, target, method, sequences, options };
          const files = [...simulatePlateFiles({ ...common, experimentType })].map(({ fileName, bytes }) => ({
            name: fileName,
            bytes,
          }));
          return analyze({ experimentType, files, settings });
        },
      })),
    ),
  );
}

function listNoisyPlateCases(): FreezeCase[] {
  const plate = {
    noise: { sd: 0.003, rho: 0.6 },
    concentrationsM: [3.162e-8, 1e-7, 3.162e-7, 1e-6],
    associationS: 180,
    dissociationS: 300,
    rmaxCv: 0.05,
    blanks: true,
    references: true,
    baselineS: 60,
  };
  const kinds: [string, Partial<NoisyPlate>, BindingSettingsInput][] = [
    ['double referenced', {}, { drift: true }],
    ['reference alone', { blanks: false }, { drift: true }],
    ['bare', { blanks: false, references: false }, {}],
    ['jumps', { intervalS: 0.2, interStepSd: 0.005 }, {}],
    ['white and drifting', { noise: { sd: 0.002, rho: 0.9, whiteSd: 0.002, driftSd: 1e-5 } }, {}],
  ];
  const designs: [string, (uniform: () => number) => { kon: number; koff: number; rmax: number }][] = [
    ['easy', (u) => ({ kon: 10 ** (4.3 + 1.4 * u()), koff: 10 ** (-3.2 + 1.5 * u()), rmax: 0.4 })],
    [
      'hard',
      (u) => ({ kon: 10 ** (3 + 3.5 * u()), koff: 10 ** (-5 + 4.5 * u()), rmax: 10 ** (-2 + 1.6 * u()) }),
    ],
  ];
  return kinds.flatMap(([kind, change, settings]) =>
    designs.map(([label, design]) => ({
      name: `noisy/${kind}/${label}`,
      run: () => {
        const uniform = createUniforms(4_242);
        const samples = Array.from({ length: 12 }, (_, i) => ({ sample: `s${i}`, ...design(uniform) }));
        return analyzeAffinitySets([createNoisyPlate({ ...plate, ...change, samples, seed: 77 })], settings);
      },
    })),
  );
}

function listMechanismCases(): FreezeCase[] {
  const thetas: [AlternativeModel, number[]][] = [
    ['mass_transport', [1e6, 5e-3, 8e5]],
    ['heterogeneous_ligand', [1e5, 1e-3, 2e5, 2e-2, 0.6]],
    ['bivalent_analyte', [1e5, 3e-3, 1e-2, 5e-3]],
  ];
  const doses = [3e-7, 1e-7, 3e-8, 1e-8, 3e-9];
  const mechanisms = thetas.flatMap(([model, theta]) =>
    [1, 2].flatMap((seed) =>
      (['auto', model, '1:1'] as const).map((chosen) => ({
        name: `mechanism/${model}/seed ${seed}/${chosen}`,
        run: () => {
          const response: Parameters<typeof createShapedFile>[0]['computeResponse'] = (curve) =>
            computeAlternativeResponse(model, curve, theta.map(Math.log));
          const file = createShapedFile({
            concentrationsM: doses,
            computeResponse: response,
            noiseSd: 0.003,
            seed,
          });
          return analyzeAffinity([file], { model: chosen, bivalentAnalyte: model === 'bivalent_analyte' });
        },
      })),
    ),
  );
  const shifted = [0, 3].flatMap((statedEarlyS) =>
    (['check', 'fitted', 'fixed'] as const).map((timeZero) => ({
      name: `mechanism/1:1/${statedEarlyS} s early/${timeZero}`,
      run: () => {
        const response: Parameters<typeof createShapedFile>[0]['computeResponse'] = (curve) =>
          computeOneToOneResponse(curve, { kon: 2e5, koff: 3e-3 });
        const plate = {
          concentrationsM: doses,
          computeResponse: response,
          noiseSd: 0.002,
          seed: 5,
          statedEarlyS,
        };
        return analyzeAffinity([createShapedFile(plate)], { timeZero });
      },
    })),
  );
  return [...mechanisms, ...shifted];
}

function listSingleCycleCases(): FreezeCase[] {
  return [1, 2, 3, 4, 5, 6].map((seed) => ({
    name: `single cycle/seed ${seed}`,
    run: () => {
      const uniform = createUniforms(seed + 61_000);
      const kinetics = { kon: 10 ** (5 + 0.7 * uniform()), koff: 10 ** (-3 + 0.7 * uniform()) };
      return analyzeAffinitySets([createTraceSet(createSingleCycleTrace({ kinetics, seed, stated: true }))]);
    },
  }));
}

function listControlledPlateCases(): FreezeCase[] {
  const samples = [
    { kon: 2e5, koff: 1e-3 },
    { kon: 1e4, koff: 3e-2 },
    { kon: 3e6, koff: 1e-5 },
    null,
  ].flatMap((kinetics, i) =>
    [1, 2, 3].flatMap((replicate) =>
      createSeries({
        role: 'sample',
        sample: `design-${i}`,
        replicate,
        kinetics,
        nonSpecific: 0.01,
        spikeAt: i === 1 ? 40 : undefined,
      }),
    ),
  );
  const settings: BindingSettingsInput = { controlKdM: { 'Cetuximab scFv': 6.7e-9 } };
  return ([0, 0.002, 0.02] as const).flatMap((noiseSd) => {
    const file = () => synthesize({ traces: [...createPlateControls(), ...samples], noiseSd, seed: 9 });
    return (['affinity', 'screening'] as const).map((experimentType) => ({
      name: `controls/${experimentType}/noise ${noiseSd}`,
      run: () => analyze({ experimentType, files: [file()], settings }),
    }));
  });
}

/** The pictures' hard cases, taken as what the sensors saw. */
function listHardCases(): FreezeCase[] {
  return [...listBindingCases(), ...listScreeningCases()].flatMap(([name, result]) => {
    const set = traceSetFrom(result);
    if (set === null) return [];
    return [
      { name: `hard/affinity/${name}`, run: () => analyzeAffinitySets([set]) },
      { name: `hard/screening/${name}`, run: () => analyzeScreeningSets([set]) },
    ];
  });
}

function traceSetFrom(result: ResultCurves): TraceSet | null {
  const sensorgrams = result.curves.filter((curve): curve is Sensorgram => curve.kind === 'sensorgram');
  const traces = sensorgrams.flatMap((curve, i) => {
    const pick = (step: 'association' | 'dissociation', isWithin: (timeS: number) => boolean) => {
      const kept = curve.time_s.flatMap((t, k) => (isWithin(t) ? [k] : []));
      const timeS = Float64Array.from(kept, (k) => curve.time_s[k]);
      return { step, startS: timeS[0], timeS, signal: Float64Array.from(kept, (k) => curve.signal[k] ?? 0) };
    };
    const endS = curve.dissociation_start_s ?? Number.POSITIVE_INFINITY;
    const steps = [pick('association', (t) => t < endS), pick('dissociation', (t) => t >= endS)];
    if (curve.concentration_m === null || steps.some(({ timeS }) => timeS.length === 0)) return [];
    const content = { role: 'sample' as const, sample: 'x', replicate: curve.replicate ?? 1 };
    return [{ id: `T${i}`, well: null, ...content, concentrationM: curve.concentration_m, steps }];
  });
  if (traces.length === 0) return null;
  const common = {
    format: 'test',
    technique: 'bli',
    signalUnit: 'nm',
    instrument: null,
    plate: null,
  } as const;
  return { ...common, metadata: {}, notices: [], traces };
}

/** Fits without the rules around them. */
function listBareFitCases(): FreezeCase[] {
  const kinetic = Array.from({ length: 12 }, (_, i) => i + 1).map((seed) => ({
    name: `fit/1:1/seed ${seed}`,
    run: () => {
      const uniform = createUniforms(seed);
      const kinetics = { kon: 10 ** (4.5 + 1.5 * uniform()), koff: 10 ** (-3.7 + 1.5 * uniform()) };
      const noise = createNoise(createNormals(seed), { sd: 0.005, rho: seed % 2 === 0 ? 0.6 : 0 });
      const curves = [1e-7, 2.5e-8, 6.25e-9, 1.6e-9].map((concentrationM) => {
        const curve = createEmptyCurve({ concentrationM });
        const clean = computeOneToOneResponse(curve, kinetics);
        return { ...curve, signal: clean.map((value, i) => value + noise(curve.timeS[i])) };
      });
      return fitKinetics(curves, LOCAL_RMAX);
    },
  }));
  const isotherms = [false, true].flatMap((offset) =>
    Array.from({ length: 8 }, (_, i) => i + 1).map((seed) => ({
      name: `fit/steady state/${offset ? 'offset/' : ''}seed ${seed}`,
      run: () => {
        const normal = createNormals(seed + 500);
        const kdM = 1e-6 * 10 ** (2 * createUniforms(seed + 9_000)() - 1);
        const points = [0.1, 0.3, 1, 3, 10, 30, 100].map((factor) => ({
          concentrationM: factor * 1e-6,
          response: (factor * 1e-6) / (kdM + factor * 1e-6) + 0.02 * normal() + (offset ? 0.2 : 0),
        }));
        return fitSteadyState(points, { offset });
      },
    })),
  );
  return [...kinetic, ...isotherms];
}
