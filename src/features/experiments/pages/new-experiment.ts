/** `/experiments/new`: from pasted sequences to a price, then to an experiment. */
import { formatCount } from '#core/counts.ts';
import { hasTarget, isAssay, USUAL_ASSAY } from '#assays/registry.ts';
import { Failure, type Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { listAssayTypes } from '../../pricing/assay-types/contract.ts';
import { createExperiment, validateExperiment } from '../contract.ts';
import { readSequences } from '../../sequences/read-sequences.ts';
import { translateReading } from '../../sequences/translate-reading.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { getField, queryParameter, SEQUENCES_FORM_BYTES_MAX, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { canCall, type Session } from '#ui/session.ts';
import { readKey } from '#ui/form.ts';
import { loadTargetChoices } from '../../targets/pages/target-choices.ts';
import { renderNewExperimentBody, type Draft, type OfferedAssay } from './new-experiment-form.ts';
import type { Routes } from '#ui/routes.ts';

export type Checked = Output<typeof validateExperiment>;

export function addNewExperiment(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, '/experiments/new', async (context) => {
    if (!canCall(context.session, createExperiment)) return renderNoOrderPage(context.session);
    const target = queryParameter(context.request, 'target_id');
    return loadFormPage(context, null, {}, target);
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
      const created = await context.api.call(createExperiment, {
        body,
        idempotencyKey: readKey(context.form),
      });
      return `/experiments/${created.experiment_code}`;
    } catch (error) {
      if (!(error instanceof Failure) || error.status >= 500 || error.status === 403) throw error;
      return loadFormPage(context, draft, toOutcome(error));
    }
  };
  addPortalForm(routes, parts, '/experiments/new', act, { bytesMax: SEQUENCES_FORM_BYTES_MAX });
}

/** For a person whose role only reads, before anything is typed. */
function renderNoOrderPage({ visitor }: Session): PageContent {
  const body = markup`<div class="page-head"><h1>New experiment</h1></div>
<section class="card stack"><p class="lead">Your role in <bdi>${visitor.organization ?? 'this organization'}</bdi> reads orders and results; it cannot order.</p>
<p>An admin can give you the role of a member under <a href="/organization">Organization</a>. Until then you can look at <a href="/experiments">the experiments</a> and at <a href="/targets">the targets</a>.</p></section>`;
  return { title: 'New experiment', body, section: 'experiments', status: 403 };
}

const USUAL_REPLICATES = 3;

/** A usual order of what the lab offers. */
function createDraft(assays: readonly OfferedAssay[], targetId: string): Draft {
  const offered = assays.find(({ experiment_type: type }) => type === USUAL_ASSAY) ?? assays[0];
  const [least, most] = [offered?.n_replicates_min ?? 1, offered?.n_replicates_max ?? USUAL_REPLICATES];
  return {
    name: '',
    targetId,
    experimentType: offered?.experiment_type ?? USUAL_ASSAY,
    method: offered?.methods[0] ?? 'bli',
    replicates: String(Math.min(Math.max(USUAL_REPLICATES, least), most)),
    sequences: '',
    library: '',
    translate: false,
  };
}

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

/** A draft that is null is a new one, for the target that the address names. */
async function loadFormPage(
  context: PortalContext,
  draft: Draft | null,
  outcome: Outcome,
  targetId = '',
): Promise<PageContent> {
  const { api, session, parts } = context;
  const [{ items }, targets] = await Promise.all([
    api.call(listAssayTypes, { query: { limit: 100 } }),
    loadTargetChoices(context),
  ]);
  const assays = items.filter(({ experiment_type: type }) => isAssay(type));
  const body = renderNewExperimentBody({
    ...outcome,
    draft: draft ?? createDraft(assays, targetId),
    session,
    assays,
    targets,
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
