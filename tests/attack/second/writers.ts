/** Raw files as a lab would hand them in. */
export interface TraceStep {
  readonly step: 'baseline' | 'loading' | 'association' | 'dissociation';
  readonly timesS: readonly number[];
  readonly signals: readonly number[];
}

export interface Trace {
  readonly well: string;
  readonly role: 'sample' | 'reference' | 'blank' | 'positive_control' | 'negative_control' | 'standard';
  readonly sample: string;
  readonly replicate: number;
  /** As the file states it; a list in a single cycle. */
  readonly concentrationsM: readonly number[];
  readonly steps: readonly TraceStep[];
}

export interface RawFile {
  readonly name: string;
  readonly text: string;
}

const toNumber = (value: number, decimals: number) => value.toFixed(decimals);

export function writeTraces(
  technique: 'bli' | 'spr',
  traces: readonly Trace[],
  decimals: number,
  /** Mass of the standards of a yield, whose concentrations the file states in M. */
  standardMassDa: number | null = null,
): readonly RawFile[] {
  const lines = ['# assayer-traces: 1', `# technique: ${technique}`];
  lines.push(`# instrument: ${technique === 'bli' ? 'Octet R8' : 'Biacore 8K'}`);
  if (standardMassDa !== null) lines.push(`# standard_mass_da: ${standardMassDa}`);
  lines.push(`# signal_unit: ${technique === 'bli' ? 'nm' : 'RU'}`, '# plate: P1', '');
  lines.push('trace,well,role,sample,replicate,concentration_m');
  traces.forEach((trace, index) => {
    const doses = trace.concentrationsM.map((dose) => (dose === 0 ? '0' : dose.toExponential(4))).join(';');
    const { well, role, sample, replicate } = trace;
    lines.push(`T${index + 1},${well},${role},${sample},${replicate},${doses}`);
  });
  lines.push('', 'trace,step,time_s,signal');
  traces.forEach((trace, index) => {
    for (const { step, timesS, signals } of trace.steps) {
      timesS.forEach((timeS, at) => {
        const signal = toNumber(signals[at] ?? 0, decimals);
        lines.push(`T${index + 1},${step},${toNumber(timeS, 3)},${signal}`);
      });
    }
  });
  return [{ name: 'traces.csv', text: `${lines.join('\n')}\n` }];
}

/** X–Y text of SPR software: two columns for each cycle, time zero at the injection. */
export function writeXy(sample: string, traces: readonly Trace[], decimals: number): readonly RawFile[] {
  const heads: string[] = [];
  const columns: string[][] = [];
  traces.forEach((trace, index) => {
    const dose = Number(((trace.concentrationsM[0] ?? 0) * 1e9).toPrecision(5));
    const head = `Cycle: ${index + 1}  ${sample}  ${dose} nM`;
    heads.push(`${head}_X`, `${head}_Y`);
    const zero = trace.steps.find(({ step }) => step === 'association')?.timesS[0] ?? 0;
    columns.push(trace.steps.flatMap(({ timesS }) => timesS.map((timeS) => toNumber(timeS - zero, 3))));
    columns.push(trace.steps.flatMap(({ signals }) => signals.map((signal) => toNumber(signal, decimals))));
  });
  const rows = Math.max(...columns.map(({ length }) => length));
  const lines = [heads.join('\t')];
  for (let row = 0; row < rows; row += 1) lines.push(columns.map((column) => column[row] ?? '').join('\t'));
  return [{ name: 'sensorgrams.txt', text: `${lines.join('\r\n')}\r\n` }];
}

export interface MeltWell {
  readonly well: string;
  readonly sample: string;
  readonly role: string;
  readonly replicate: number;
  readonly channels: Readonly<Record<string, readonly number[]>>;
  readonly temperaturesC: readonly number[];
}

export function writeMelts(wells: readonly MeltWell[], decimals: number): readonly RawFile[] {
  const lines = ['# assayer-melts: 1', '# instrument: Prometheus NT.48', '# plate: P1'];
  lines.push('well,role,sample,replicate,concentration_m,concentration_ng_per_ul');
  for (const { well, role, sample, replicate } of wells)
    lines.push(`${well},${role},${sample},${replicate},,`);
  lines.push('', 'well,channel,temperature_c,signal');
  for (const { well, channels, temperaturesC } of wells) {
    for (const [channel, signals] of Object.entries(channels)) {
      signals.forEach((signal, index) => {
        const celsius = toNumber(temperaturesC[index] ?? 0, 3);
        lines.push(`${well},${channel},${celsius},${toNumber(signal, decimals)}`);
      });
    }
  }
  return [{ name: 'melts.csv', text: `${lines.join('\n')}\n` }];
}

export interface ValueWell {
  readonly well: string;
  readonly role: string;
  readonly sample: string;
  readonly replicate: number;
  readonly value: number;
}

export function writeValues(wells: readonly ValueWell[]): readonly RawFile[] {
  const lines = ['# assayer-plate: 1', '# instrument: Clariostar', '# plate: P1', '# unit: RFU'];
  lines.push('well,role,sample,replicate,concentration_m,concentration_ng_per_ul');
  for (const { well, role, sample, replicate } of wells)
    lines.push(`${well},${role},${sample},${replicate},,`);
  lines.push('', 'well,channel,ex_nm,em_nm,gain,value');
  for (const { well, value } of wells)
    lines.push(`${well},fluorescence,485,520,80,${value >= 65_000 ? 'OVER' : value.toFixed(0)}`);
  return [{ name: 'plate.csv', text: `${lines.join('\n')}\n` }];
}
