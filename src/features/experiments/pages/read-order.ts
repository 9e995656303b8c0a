/** Reads the order form: the request as a program would send it, and what is wrong with it. */
import { hasTarget, takesConcentrations } from '#assays/registry.ts';
import { createInvalidFieldsFailure, fail, Failure, type Problem } from '#core/failures.ts';
import { isRecord } from '#core/records.ts';
import { parseNumber } from '#ui/amount.ts';
import type { Caller } from '#ui/caller.ts';
import { readFilled } from '#ui/form.ts';
import { getField, type Form } from '#ui/http.ts';
import { writeSequences } from '../../sequences/write-sequences.ts';
import { estimateCost, validateExperiment, type ExpInfo } from '../contract.ts';
import { parseConcentrations } from '../import-rules.ts';
import { listOrdered } from './designs.ts';
import type { FormDesign, FormDesigns } from './read-designs.ts';

export interface Order {
  readonly body: {
    readonly name: string;
    readonly description: string;
    readonly webhook_url?: string;
    readonly experiment_spec: Readonly<Record<string, unknown>>;
  };
  /** The designs of the body, in its order. */
  readonly ordered: readonly FormDesign[];
  /** Of the designs and of fields that are no numbers; the rest is checked by the operation. */
  readonly problems: readonly Problem[];
  readonly designs: FormDesigns;
}

interface Circumstances {
  readonly isSandbox: boolean;
  /** The experiment that is changed or ordered again; what the form cannot show stays as it was there. */
  readonly earlier: ExpInfo | null;
  readonly designs: FormDesigns;
}

export function readOrder(form: Form, { isSandbox, earlier, designs }: Circumstances): Order {
  const ordered = designs.designs.filter(({ valid, isOut }) => valid && !isOut);
  const read = (name: string): string => getField(form, name);
  const [type, replicates, doses] = [
    read('experiment_type'),
    read('n_replicates'),
    read('antigen_concentrations'),
  ];
  const hasDoses = takesConcentrations(type) && doses !== '';
  const series = hasDoses ? parseConcentrations(doses.split(/[\s,;]+/).join(',')) : undefined;
  const parameters = buildParameters(earlier, isSandbox ? read('library') : '');
  const webhook = read('webhook_url');
  const body = {
    name: read('name'),
    description: read('description'),
    ...(webhook !== '' && { webhook_url: webhook }),
    experiment_spec: {
      experiment_type: type,
      // The page hides these fields for assays without them, so their values were not meant.
      ...(hasTarget(type) && { method: read('method'), ...readTarget(form, earlier) }),
      ...(replicates !== '' && { n_replicates: parseNumber(replicates) }),
      ...(Array.isArray(series) && { antigen_concentrations: series }),
      ...(parameters !== null && { parameters }),
      sequences: listEntries(ordered, earlier),
    },
  };
  const message = 'must be numbers of nM that are separated by commas';
  return {
    body,
    ordered,
    designs,
    problems: [
      ...(series === null ? [{ path: 'antigen_concentrations', message }] : []),
      ...designs.problems,
    ],
  };
}

/** Without a choice, the antigen that is requested in the form, or that the experiment asked the lab for. */
function readTarget(form: Form, earlier: ExpInfo | null): Readonly<Record<string, unknown>> {
  const id = getField(form, 'target_id');
  if (id !== '') return { target_id: id };
  const own = readFilled(form, ['requested_name', 'requested_uniprot_id', 'requested_note']);
  if (own.requested_name !== undefined)
    return {
      requested_target: Object.fromEntries(
        Object.entries(own).map(([field, text]) => [field.replace('requested_', ''), text]),
      ),
    };
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

/** What the form does not say of a design stays as it was ordered. */
function listEntries(ordered: readonly FormDesign[], earlier: ExpInfo | null) {
  const before = new Map(
    (earlier === null ? [] : listOrdered(earlier)).map((design) => [design.name, design]),
  );
  return ordered.map(({ name, aa_string, control, metadata }) => {
    const built = { ...before.get(name)?.metadata, ...metadata };
    return { name, aa_string, control, metadata: Object.keys(built).length > 0 ? built : null };
  });
}

export interface OrderPrice {
  readonly costs?: ExpInfo['costs'];
  /** When results can be expected, where the lab promises that. */
  readonly eta?: string | null | undefined;
  /** What is missing before there is a price. */
  readonly missing?: readonly Problem[];
}

/** The price of the order as far as it goes, which stops at nothing. */
export async function estimateOrder(api: Caller, order: Order): Promise<OrderPrice> {
  const spec = order.body.experiment_spec;
  if (order.ordered.length === 0 && order.problems.length === 0) return {};
  try {
    const { breakdown, totals, incomplete, eta } = await api.call(estimateCost, {
      body: { experiment_spec: spec },
    });
    if (incomplete !== null && incomplete !== undefined)
      return { eta, costs: { type: 'incomplete_estimate', ...incomplete } };
    return breakdown === null || breakdown === undefined
      ? {}
      : { eta, costs: { type: 'estimate', breakdown, ...(totals !== undefined && { totals }) } };
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error;
    const problems = error.problems.length > 0 ? error.problems : [{ path: '', message: error.message }];
    return { missing: problems.map((problem) => locateProblem(problem, order)) };
  }
}

/** Calls an operation with the order; one failure names what is wrong with the text and with everything else. */
export async function callWithOrder<Answer>(
  api: Caller,
  order: Order,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const { problems, designs } = order;
  if (designs.failure !== null) throw designs.failure;
  const isDna = designs.hasDna ? [{ path: 'sequences', message: IS_DNA }] : [];
  try {
    // A text with a line that cannot be read is never ordered in part.
    if (problems.length === 0) return await call();
    await api.call(validateExperiment, { body: order.body });
  } catch (error) {
    if (!(error instanceof Failure) || error.problems.length === 0) throw error;
    const located = error.problems
      .filter(({ path }) => problems.length === 0 || !/\bsequences$/.test(path))
      .map((problem) => locateProblem(problem, order));
    throw fail(error.code, error.parameters, { problems: [...isDna, ...problems, ...located] });
  }
  throw createInvalidFieldsFailure([...isDna, ...problems]);
}

const IS_DNA = 'This is DNA. Tick “Translate DNA”, or paste amino acids; nothing was stored.';

/** Moves a problem of the body to its field; one of a sequence names its line. */
function locateProblem({ path, message }: Problem, { body, ordered }: Order): Problem {
  const own = path.replace(/^experiment_spec\./, '');
  const [place = '', ordinal = ''] = own.split('.');
  if (place === 'requested_target') return { path: `requested_${own.split('.')[1] ?? 'name'}`, message };
  if (place === 'target_id' && body.experiment_spec.target_id === undefined)
    return { path: place, message: 'Choose a target from the catalog, or request one below.' };
  if (place !== 'sequences' || ordinal === '') return { path: own, message };
  const { name, line } = ordered[Number(ordinal)] ?? { name: '', line: 1 };
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
    webhook_url: experiment.webhook_url ?? '',
    sequences: writeSequences(listOrdered(experiment)),
  };
}
