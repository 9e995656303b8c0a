/** This folder: raw files as a lab hands them over. Not here: which fault they contain. */
import { toEngineSettings } from '#features/runs/raw-files/settings-names.ts';
import { SAMPLE, type Curve, type Recording } from '../instrument/record.ts';

export interface Written {
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** What the file cannot say and the lab therefore states, by the names of the engine. */
  readonly settings: Readonly<Record<string, unknown>>;
}

const DECIMALS = { bli: 5, spr: 3 };
const UNITS = { bli: 'nm', spr: 'RU' };
const TIME_DECIMALS = 2;
const formatTime = (timeS: number) => String(Number(timeS.toFixed(TIME_DECIMALS)));

/** Our own traces: steps, roles and concentrations are in the file. */
export function writeTraces({ technique, curves }: Pick<Recording, 'technique' | 'curves'>): Written {
  const lines = [
    '# assayer-traces: 1',
    `# technique: ${technique}`,
    '# instrument: simulated by rate equations',
    `# signal_unit: ${UNITS[technique]}`,
    '# plate: P1',
    '',
    'trace,well,role,sample,replicate,concentration_m',
  ];
  for (const { trace, well, role, sample, replicate, statedM } of curves) {
    const doses = statedM.map((dose) => dose.toPrecision(5)).join(';');
    lines.push(`${trace},${well},${role},${sample},${replicate ?? 1},${doses}`);
  }
  lines.push('', 'trace,step,time_s,signal');
  // Most curves of a run are sampled at the same times.
  const written = new Map<number, string>();
  for (const curve of curves) {
    let step = 0;
    for (const [index, timeS] of curve.timesS.entries()) {
      // The first sample of a step is the one at its start.
      while (step < curve.steps.length - 1 && timeS >= (curve.steps[step]?.endS ?? 0)) step += 1;
      const value = (curve.signal[index] ?? 0).toFixed(DECIMALS[technique]);
      const time = written.get(timeS) ?? formatTime(timeS);
      written.set(timeS, time);
      lines.push(`${curve.trace},${curve.steps[step]?.name ?? ''},${time},${value}`);
    }
  }
  return { files: [{ name: 'run.csv', text: `${lines.join('\n')}\n` }], settings: {} };
}

/** Exports begin at the injection with the baseline at zero. */
function alignToInjection(curve: Curve): { readonly timesS: number[]; readonly values: number[] } {
  const startS = curve.steps[1]?.startS ?? 0;
  const before = [...curve.signal].filter((_, index) => {
    const timeS = curve.timesS[index] ?? 0;
    return timeS <= startS && timeS > startS - 10;
  });
  const zero = before.reduce((sum, value) => sum + value, 0) / Math.max(1, before.length);
  return {
    timesS: curve.timesS.map((timeS) => timeS - startS),
    values: [...curve.signal].map((value) => value - zero),
  };
}

/** Subtracts the first blank from a dose, as evaluation software does before it exports. */
function subtractBlank(curves: readonly Curve[]): readonly Curve[] {
  const blank = curves.find(({ dose }) => dose < 0);
  const doses = curves.filter(({ dose, role }) => dose >= 0 && role !== 'reference');
  if (blank === undefined) return doses;
  return doses.map((curve) => ({
    ...curve,
    signal: curve.signal.map((value, index) => value - (blank.signal[index] ?? 0)),
  }));
}

/**
 * Multi-cycle CSV of pyKinGenie: time from the injection on, the concentration falls to zero with it. The file names no
 * sample, so the lab assigns its curves.
 */
export function writeMultiCycle({ technique, curves }: Recording): Written {
  const lines = ['"Time","Signal","Smax","Analyte_concentration_micromolar_constant"'];
  const cycles = subtractBlank(curves);
  for (const curve of cycles) {
    const { timesS, values } = alignToInjection(curve);
    const endS = (curve.steps[1]?.endS ?? 0) - (curve.steps[1]?.startS ?? 0);
    const micromolar = ((curve.statedM[0] ?? 0) * 1e6).toPrecision(6);
    for (const [index, timeS] of timesS.entries()) {
      if (timeS < 0) continue;
      const value = (values[index] ?? 0).toFixed(DECIMALS[technique]);
      if (timeS <= endS) lines.push(`${formatTime(timeS)},${value},1,${micromolar}`);
      if (timeS >= endS) lines.push(`${formatTime(timeS)},${value},1,0`);
    }
  }
  const assign = Object.fromEntries(cycles.map((_, index) => [`curve ${index + 1}`, { sample: SAMPLE }]));
  return {
    files: [{ name: 'cycles.csv', text: `${lines.join('\n')}\n` }],
    settings: toEngineSettings({ assign }),
  };
}

/**
 * X–Y text: a pair of columns for each cycle, of different length, with empty cells where the software left out the
 * samples around an injection.
 */
export function writeXy({ technique, curves }: Recording, gapS: number): Written {
  const loaded = curves.filter(({ role }) => role !== 'reference');
  const columns = loaded.map((curve, index) => {
    const { timesS, values } = alignToInjection(curve);
    const endS = (curve.steps[1]?.endS ?? 0) - (curve.steps[1]?.startS ?? 0);
    const nanomolar = Number(((curve.statedM[0] ?? 0) * 1e9).toPrecision(6));
    // Curves of later cycles are some samples shorter: the software cuts each at its own end.
    const last = timesS.length - (index % 3);
    const cells = timesS.slice(0, last).map((timeS, at): readonly [string, string] => {
      const isNearInjection = Math.abs(timeS) < gapS || Math.abs(timeS - endS) < gapS;
      if (isNearInjection && gapS > 0) return ['', ''];
      return [formatTime(timeS), (values[at] ?? 0).toFixed(DECIMALS[technique])];
    });
    return { head: `Cycle: ${index + 1}  ${SAMPLE} ${nanomolar} nM`, cells };
  });
  const lines = [columns.map(({ head }) => `${head}_X\t${head}_Y`).join('\t')];
  const rows = Math.max(...columns.map(({ cells }) => cells.length));
  for (let row = 0; row < rows; row += 1)
    lines.push(columns.map(({ cells }) => (cells[row] ?? ['', '']).join('\t')).join('\t'));
  const first = loaded[0]?.steps[1];
  const associationS = (first?.endS ?? 0) - (first?.startS ?? 0);
  return {
    files: [{ name: 'sensorgrams.txt', text: `${lines.join('\n')}\n` }],
    settings: toEngineSettings({ association_s: associationS }),
  };
}
