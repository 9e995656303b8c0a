/** `/experiments/new`: from pasted sequences to a price, then to an experiment. */
import { USUAL_ASSAY } from '#domain/assays/registry.ts';
import type { FastifyInstance } from 'fastify';
import { Failure, type Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { createExperiment, validateExperiment } from '#domain/experiments/contract.ts';
import { hasTarget } from '#domain/assays/registry.ts';
import { readSequences } from '#domain/sequences/read-sequences.ts';
import { translateReading } from '#domain/sequences/translate-reading.ts';
import { listTargets, type TargetInfo } from '#domain/targets/contract.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '../context.ts';
import { getField, queryParameter, SEQUENCES_FORM_BYTES_MAX, type Form } from '../http.ts';
import type { PageContent } from '../layout.ts';
import type { PagesParts } from '../parts.ts';
import { formatCount } from '../words.ts';
import { IDEMPOTENCY_FIELD } from './actions.ts';
import { renderNewExperimentBody, type Draft } from './new-experiment-form.ts';

const TARGETS_PAGE = 100;
const TARGETS_MAX = 1_000;

export type Checked = Output<typeof validateExperiment>;

export function addNewExperiment(app: FastifyInstance, parts: PagesParts): void {
  addPortalPage(app, parts, '/experiments/new', async (context) => {
    const target = queryParameter(context.request, 'target_id');
    return loadFormPage(context, { ...EMPTY, targetId: target }, {});
  });
  const act = async (context: FormContext): Promise<string | PageContent> => {
    const draft = parseDraft(context.form);
    const { body, problems, notes } = buildBody(draft, context);
    if (problems.length > 0) return loadFormPage(context, draft, { problems, status: 422 });
    try {
      if (context.form.intent !== 'create') {
        return await loadFormPage(context, draft, {
          checked: await context.api.call(validateExperiment, { body }),
          notes,
        });
      }
      const key = getField(context.form, IDEMPOTENCY_FIELD);
      const created = await context.api.call(createExperiment, {
        body,
        idempotencyKey: key === '' ? undefined : key,
      });
      return `/experiments/${created.experiment_code}`;
    } catch (error) {
      if (!(error instanceof Failure) || error.status >= 500 || error.status === 403) throw error;
      return loadFormPage(context, draft, toOutcome(error));
    }
  };
  addPortalForm(app, parts, '/experiments/new', act, { bytesMax: SEQUENCES_FORM_BYTES_MAX });
}

const EMPTY: Draft = {
  name: '',
  targetId: '',
  experimentType: USUAL_ASSAY,
  method: 'bli',
  replicates: '3',
  sequences: '',
  library: '',
  translate: false,
};

function parseDraft(form: Form): Draft {
  return {
    name: getField(form, 'name'),
    targetId: getField(form, 'target_id'),
    experimentType: getField(form, 'experiment_type'),
    method: getField(form, 'method'),
    replicates: getField(form, 'n_replicates'),
    sequences: form.sequences ?? '',
    library: getField(form, 'library'),
    translate: getField(form, 'translate') !== '',
  };
}

/** The request body as a program would send it, and problems found before there is one. */
function buildBody(
  draft: Draft,
  context: FormContext,
): { body: unknown; problems: Problem[]; notes: readonly string[] } {
  const { sequences, problems, notes } = readPasted(draft);
  const isSandbox = context.parts.work.site.environment === 'sandbox';
  const replicates = Number(draft.replicates);
  // The page hides these two fields for assays without them, so their values were not meant.
  const binding = hasTarget(draft.experimentType)
    ? { method: draft.method, ...(draft.targetId === '' ? {} : { target_id: draft.targetId }) }
    : {};
  const body = {
    name: draft.name,
    experiment_spec: {
      experiment_type: draft.experimentType,
      ...binding,
      ...(draft.replicates === ''
        ? {}
        : { n_replicates: Number.isFinite(replicates) ? replicates : draft.replicates }),
      sequences,
      ...(isSandbox && draft.library !== '' ? { parameters: { sandbox: { library: draft.library } } } : {}),
    },
  };
  return {
    body,
    notes,
    problems: problems.map(({ line, message }) => ({
      path: 'experiment_spec.sequences',
      message: `line ${line}: ${message}`,
    })),
  };
}

/** Reads FASTA or a table; an empty field is left to the rules of creation. */
function readPasted({ sequences: text, translate }: Draft) {
  const reading = text.trim() === '' ? { records: [], problems: [] } : readSequences(text);
  if (translate) {
    const { translatedCount, notes, ...translated } = translateReading(reading);
    const count = `Translated ${formatCount(translatedCount, 'sequence')} of DNA.`;
    return { ...translated, notes: [count, ...notes] };
  }
  const sequences = Object.fromEntries(reading.records.map(({ name, value }) => [name, value]));
  return { sequences, problems: reading.problems, notes: [] };
}

interface Outcome {
  readonly problems?: readonly Problem[];
  readonly checked?: Checked;
  /** What is worth knowing of the translation. */
  readonly notes?: readonly string[];
  readonly sentence?: string;
  readonly status?: number;
}

function toOutcome(failure: Failure): Outcome {
  if (failure.code === 'idempotency_key_reused') {
    const sentence =
      'This form has already created an experiment. Press the button again to create another one.';
    return { sentence, status: failure.status };
  }
  if (failure.code === 'looks_like_dna') {
    const sentence = 'This is DNA. Tick “Translate DNA”, or paste amino acids; nothing was stored.';
    return { problems: failure.problems, sentence, status: failure.status };
  }
  if (failure.problems.length === 0) return { sentence: failure.message, status: failure.status };
  return { problems: failure.problems, status: failure.status };
}

async function loadFormPage(context: PortalContext, draft: Draft, outcome: Outcome): Promise<PageContent> {
  const { session, parts } = context;
  const body = renderNewExperimentBody({
    ...outcome,
    draft,
    session,
    targets: await loadTargets(context),
    isSandbox: parts.work.site.environment === 'sandbox',
    key: parts.work.ids.createSecret(),
  });
  return {
    title: 'New experiment',
    body,
    section: 'experiments',
    ...(outcome.status === undefined ? {} : { status: outcome.status }),
  };
}

async function loadTargets({ api }: PortalContext): Promise<TargetInfo[]> {
  const targets: TargetInfo[] = [];
  for (;;) {
    const query = { limit: TARGETS_PAGE, offset: targets.length };
    const { items, total } = await api.call(listTargets, { query });
    targets.push(...items);
    if (items.length === 0 || targets.length >= Math.min(total, TARGETS_MAX)) return targets;
  }
}
