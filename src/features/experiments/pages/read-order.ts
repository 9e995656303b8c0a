/** Reads the order form: the request as a program would send it, and what is wrong with it. */
import { hasTarget, takesConcentrations } from '#assays/registry.ts';
import { createInvalidFieldsFailure, fail, Failure, type Problem } from '#core/failures.ts';
import { isRecord } from '#core/records.ts';
import { formatCount } from '#core/words.ts';
import { parseNumber } from '#ui/amount.ts';
import type { Caller } from '#ui/caller.ts';
import { getField, type Form } from '#ui/http.ts';
import type { ReadSequence } from '../../sequences/csv.ts';
import { translateReading } from '../../sequences/dna.ts';
import { readSequences } from '../../sequences/read-sequences.ts';
import { writeSequences } from '../../sequences/write-sequences.ts';
import { validateExperiment, type ExpInfo } from '../contract.ts';
import { parseConcentrations } from '../import-rules.ts';
import { listOrdered } from './designs.ts';

export interface Order {
  readonly body: {
    readonly name: string;
    readonly description: string;
    readonly experiment_spec: Readonly<Record<string, unknown>>;
  };
  /** Where each sequence stands in the text, in the order of the body. */
  readonly records: readonly Pick<ReadSequence, 'name' | 'line'>[];
  /** Of the text and of fields that are no numbers; the rest is checked by the operation. */
  readonly problems: readonly Problem[];
  /** What is worth knowing of the translation. */
  readonly notes: readonly string[];
}

interface Circumstances {
  readonly isSandbox: boolean;
  /** The experiment that is changed or ordered again; what the form cannot show stays as it was there. */
  readonly earlier: ExpInfo | null;
}

export function readOrder(form: Form, { isSandbox, earlier }: Circumstances): Order {
  const { sequences, problems, notes, records } = readPasted(form, earlier);
  const read = (name: string): string => getField(form, name);
  const [type, replicates, doses] = [
    read('experiment_type'),
    read('n_replicates'),
    read('antigen_concentrations'),
  ];
  const hasDoses = takesConcentrations(type) && doses !== '';
  const series = hasDoses ? parseConcentrations(doses.split(/[\s,;]+/).join(',')) : undefined;
  const parameters = buildParameters(earlier, isSandbox ? read('library') : '');
  const body = {
    name: read('name'),
    description: read('description'),
    experiment_spec: {
      experiment_type: type,
      // The page hides these fields for assays without them, so their values were not meant.
      ...(hasTarget(type) && { method: read('method'), ...readTarget(form, earlier) }),
      ...(replicates !== '' && { n_replicates: parseNumber(replicates) }),
      ...(Array.isArray(series) && { antigen_concentrations: series }),
      ...(parameters !== null && { parameters }),
      sequences,
    },
  };
  const message = 'must be numbers of nM that are separated by commas';
  return {
    body,
    notes,
    records,
    problems: [...(series === null ? [{ path: 'antigen_concentrations', message }] : []), ...problems],
  };
}

/** Without a choice, the antigen that the experiment asked the lab for stays. */
function readTarget(form: Form, earlier: ExpInfo | null): Readonly<Record<string, unknown>> {
  const id = getField(form, 'target_id');
  if (id !== '') return { target_id: id };
  const requested = earlier?.experiment_spec.requested_target;
  return isRecord(requested) ? { requested_target: requested } : {};
}

/** The parameters of an experiment as a request has them: without the assay, which its record adds. */
function buildParameters(earlier: ExpInfo | null, library: string): Readonly<Record<string, unknown>> | null {
  const { experiment_type: _, sandbox, ...kept } = isRecord(earlier?.parameters) ? earlier.parameters : {};
  const { library: __, ...simulated } = isRecord(sandbox) ? sandbox : {};
  const wanted = { ...simulated, ...(library !== '' && { library }) };
  const parameters = { ...kept, ...(Object.keys(wanted).length > 0 && { sandbox: wanted }) };
  return Object.keys(parameters).length > 0 ? parameters : null;
}

/** Reads FASTA or a table; an empty field is left to the rules of creation. */
function readPasted(form: Form, earlier: ExpInfo | null) {
  const text = form.sequences ?? '';
  const reading = text.trim() === '' ? { records: [], problems: [] } : readSequences(text);
  const isTranslated = getField(form, 'translate') !== '';
  const { translatedCount, notes, records, problems } = isTranslated
    ? translateReading(reading)
    : { ...reading, translatedCount: 0, notes: [] };
  const before = new Map(
    (earlier === null ? [] : listOrdered(earlier)).map((design) => [design.name, design]),
  );
  const sequences = records.map(({ name, value }) => {
    // What the text does not say of a design stays as it was ordered.
    const known = before.get(name);
    const { metadata, ...stated } = typeof value === 'string' ? { aa_string: value } : { ...value };
    const built = { ...known?.metadata, ...metadata };
    return {
      name,
      control: known?.control ?? false,
      ...stated,
      metadata: Object.keys(built).length > 0 ? built : null,
    };
  });
  const count = `Translated ${formatCount(translatedCount, 'sequence')} of DNA.`;
  return {
    sequences,
    records,
    problems: problems.map(({ line, message }) => ({
      path: 'sequences',
      message: `line ${line}: ${message}`,
    })),
    notes: isTranslated ? [count, ...notes] : [],
  };
}

/** Calls an operation with the order; one failure names what is wrong with the text and with everything else. */
export async function callWithOrder<Answer>(
  api: Caller,
  order: Order,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    // A text with a line that cannot be read is never ordered in part.
    if (order.problems.length === 0) return await call();
    await api.call(validateExperiment, { body: order.body });
  } catch (error) {
    if (!(error instanceof Failure) || error.problems.length === 0) throw error;
    const located = error.problems
      .filter(({ path }) => order.problems.length === 0 || !/\bsequences$/.test(path))
      .map((problem) => locateProblem(problem, order));
    const isDna = error.code === 'looks_like_dna' ? [{ path: 'sequences', message: IS_DNA }] : [];
    throw fail(error.code, error.parameters, { problems: [...isDna, ...order.problems, ...located] });
  }
  throw createInvalidFieldsFailure(order.problems);
}

const IS_DNA = 'This is DNA. Tick “Translate DNA”, or paste amino acids; nothing was stored.';

/** Moves a problem of the body to its field; one of a sequence names its line. */
function locateProblem({ path, message }: Problem, { body, records }: Order): Problem {
  const own = path.replace(/^experiment_spec\./, '');
  const [place = '', ordinal = ''] = own.split('.');
  if (place === 'target_id' && body.experiment_spec.target_id === undefined)
    return { path: place, message: 'Choose a target from the catalog.' };
  if (place !== 'sequences' || ordinal === '') return { path: own, message };
  const { name, line } = records[Number(ordinal)] ?? { name: '', line: 1 };
  const named = message.includes(name) ? message : `${name}: ${message}`;
  return { path: place, message: `line ${line}: ${named}` };
}

/** What the form holds when it opens with an experiment. */
export function fillOrder(experiment: ExpInfo): Form {
  const { experiment_spec: spec, antigen_concentrations: series } = experiment;
  const { sandbox } = isRecord(experiment.parameters) ? experiment.parameters : {};
  const library = isRecord(sandbox) ? sandbox.library : undefined;
  return {
    name: experiment.name ?? '',
    description: experiment.description ?? '',
    experiment_type: spec.experiment_type,
    method: spec.method ?? '',
    target_id: experiment.target_id ?? '',
    n_replicates: String(experiment.n_replicates),
    antigen_concentrations: Array.isArray(series) ? series.join(', ') : '',
    library: typeof library === 'string' ? library : '',
    sequences: writeSequences(listOrdered(experiment)),
  };
}
