/** The form that maps wells by hand, of an order or of a stored run. */
import type { Output } from '#core/operation.ts';
import type { getRawFileMapping } from '#domain/lab/mapping-contract.ts';
import { getField, type Form } from '../../http.ts';
import { markup, type Markup } from '../../markup.ts';
import { renderFormFields } from '../../portal/actions.ts';
import { formatCount, renderTime } from '../../words.ts';
import { renderField, type FormsView } from '../form.ts';
import { MAPPING_HEAD, readMapping } from './mapping-text.ts';

export interface MappingView {
  readonly action: string;
  /** The lines that stand in the form. */
  readonly written: string;
  /** Newest first. */
  readonly versions: Output<typeof getRawFileMapping>['versions'];
}

export function renderMapping({ session, createKey, remark }: FormsView, view: MappingView): Markup {
  const { action, written, versions } = view;
  const mine = remark?.action === action ? remark : undefined;
  const [present] = versions;
  const reason = present?.reason ?? null;
  const state =
    present === undefined
      ? 'The files speak alone so far.'
      : markup`${formatCount(versions.length, 'version')}, the last ${renderTime(present.created_at)}${reason !== null && markup`: <bdi>${reason}</bdi>`}`;
  return markup`<section class="card" aria-labelledby="mapping"><div class="card-head"><h2 id="mapping">Wells by hand</h2><p class="hint">${state}</p></div>
<form method="post" action="${action}" class="fields wide">${renderFormFields(session, createKey())}
${mine !== undefined && markup`<p class="problem" role="alert">${mine.message}</p>`}
${renderField(action, { name: 'entries', label: 'Lines', kind: 'area', value: written, lengthMax: 60_000, hint: `${MAPPING_HEAD}. Name a well or a sample; roles are sample, blank, reference, positive_control, negative_control, standard and left_out. Without lines the files speak alone.` }, mine)}
${renderField(action, { name: 'reason', label: 'Reason', lengthMax: 500 }, mine)}
<div class="actions"><button name="intent" value="save" class="primary">Keep the mapping</button><button name="intent" value="try">Try it</button></div></form></section>`;
}

export interface MappingAsked {
  /** As it was typed. */
  readonly text: string;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly reason: { readonly reason?: string };
  /** Whether to show its effect and to keep nothing. */
  readonly isTrial: boolean;
}

/** Reads the form. Throws `invalid_request` beside the field. */
export function readMappingForm(form: Form): MappingAsked {
  const text = getField(form, 'entries');
  const reason = getField(form, 'reason');
  return {
    text,
    entries: readMapping(text),
    reason: reason === '' ? {} : { reason },
    isTrial: getField(form, 'intent') === 'try',
  };
}
